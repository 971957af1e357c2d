/** The simulated cluster: servers and coordinators as processes around the real machines, and the world they share. */
@NullMarked
package io.uniserve.testkit.simulation.cluster;

import org.jspecify.annotations.NullMarked;
