/** The simulated cluster: processes around the real state machines of servers and coordinators, and their shared world. */
@NullMarked
package io.uniserve.testkit.simulation.cluster;

import org.jspecify.annotations.NullMarked;
