/** Periods, chunks of time and the times of rows. All classes are immutable or thread-safe. */
@NullMarked
package io.uniserve.model.time;

import org.jspecify.annotations.NullMarked;
