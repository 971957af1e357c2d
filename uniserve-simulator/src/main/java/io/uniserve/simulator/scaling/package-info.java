/** Simulated provider of servers for the auto-scaler, with faults, and its checks. */
@NullMarked
package io.uniserve.simulator.scaling;

import org.jspecify.annotations.NullMarked;
