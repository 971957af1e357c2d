/** Independent checker of placements: it uses the problem and the placement alone. */
@NullMarked
package io.uniserve.placement.check;

import org.jspecify.annotations.NullMarked;
