/** Simulated clients: random updates and reads through the real client machines. */
@NullMarked
package io.uniserve.testkit.simulation.workload;

import org.jspecify.annotations.NullMarked;
