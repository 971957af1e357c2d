/** Queueing simulation of servers with cores: the effect of a placement policy on latency under the workloads of the papers. */
@NullMarked
package io.uniserve.placement.simulate;

import org.jspecify.annotations.NullMarked;
