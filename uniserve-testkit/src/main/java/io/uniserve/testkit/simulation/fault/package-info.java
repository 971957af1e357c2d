/** Faults of a simulation. Each seed draws its own set of faults and their rates. */
@NullMarked
package io.uniserve.testkit.simulation.fault;

import org.jspecify.annotations.NullMarked;
