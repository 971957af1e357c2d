/** The independent checker: a placement's properties from the problem and the placement alone. */
@NullMarked
package io.uniserve.balance.check;

import org.jspecify.annotations.NullMarked;
