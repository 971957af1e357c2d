/**
 * Deterministic simulator: a whole cluster of the real state machines in one thread and virtual time, with faults drawn from a seed and
 * checks of the protocol's invariants. The same seed gives the same history on every machine.
 */
@NullMarked
package io.uniserve.testkit.simulation;

import org.jspecify.annotations.NullMarked;
