/** Faults of a simulation. Each seed draws its own set of faults and their rates. */
@NullMarked
package io.uniserve.simulator.fault;

import org.jspecify.annotations.NullMarked;
