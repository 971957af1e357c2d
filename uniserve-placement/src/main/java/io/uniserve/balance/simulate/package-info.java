/** Queueing simulation of servers with cores: what a placement policy does to latency under the papers' workloads. */
@NullMarked
package io.uniserve.balance.simulate;

import org.jspecify.annotations.NullMarked;
