/** Constraints of placements, as small classes that return reasons. */
@NullMarked
package io.uniserve.placement.constraint;

import org.jspecify.annotations.NullMarked;
