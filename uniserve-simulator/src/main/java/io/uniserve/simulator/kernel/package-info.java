/** Kernel of the simulator: event queue, seeded random numbers, processes that crash and pause, and the history's hash. */
@NullMarked
package io.uniserve.simulator.kernel;

import org.jspecify.annotations.NullMarked;
