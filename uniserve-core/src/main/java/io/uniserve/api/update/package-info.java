/** How rows change an actor. */
@NullMarked
package io.uniserve.api.update;

import org.jspecify.annotations.NullMarked;
