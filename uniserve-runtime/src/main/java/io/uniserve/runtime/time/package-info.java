/** Clocks of the machine and random numbers. No other package uses them directly. */
@NullMarked
package io.uniserve.runtime.time;

import org.jspecify.annotations.NullMarked;
