/** Deterministic simulation of a whole cluster: one seed, one history. */
@NullMarked
package io.uniserve.simulator;

import org.jspecify.annotations.NullMarked;
