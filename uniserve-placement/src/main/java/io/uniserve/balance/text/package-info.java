/** Placement problems and placements as text files. */
@NullMarked
package io.uniserve.balance.text;

import org.jspecify.annotations.NullMarked;
