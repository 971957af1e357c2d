/** Placement problems and placements as text files. */
@NullMarked
package io.uniserve.placement.text;

import org.jspecify.annotations.NullMarked;
