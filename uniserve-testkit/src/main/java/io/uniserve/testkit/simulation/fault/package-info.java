/** What goes wrong in a simulation: each seed draws its own subset of faults and their rates. */
@NullMarked
package io.uniserve.testkit.simulation.fault;

import org.jspecify.annotations.NullMarked;
