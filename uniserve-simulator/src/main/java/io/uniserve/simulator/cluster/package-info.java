/** The simulated cluster: processes around the real state machines of servers and coordinators, and their shared world. */
@NullMarked
package io.uniserve.simulator.cluster;

import org.jspecify.annotations.NullMarked;
