/** Checks of the files that {@code -Prelease} makes. */
@NullMarked
package io.uniserve.release;

import org.jspecify.annotations.NullMarked;
