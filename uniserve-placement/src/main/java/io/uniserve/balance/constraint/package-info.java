/** What a placement has to keep, and should keep, as small classes that give reasons. */
@NullMarked
package io.uniserve.balance.constraint;

import org.jspecify.annotations.NullMarked;
