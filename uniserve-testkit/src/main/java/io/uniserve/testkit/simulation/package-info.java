/**
 * The deterministic simulator: a whole cluster of the real protocol machines in one thread and virtual time, with faults
 * drawn from a seed and a checker beside it. The same seed gives the same history on every machine.
 */
@NullMarked
package io.uniserve.testkit.simulation;

import org.jspecify.annotations.NullMarked;
