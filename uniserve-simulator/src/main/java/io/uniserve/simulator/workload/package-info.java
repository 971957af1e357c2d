/** Simulated clients: random updates and reads through the real client machines. */
@NullMarked
package io.uniserve.simulator.workload;

import org.jspecify.annotations.NullMarked;
