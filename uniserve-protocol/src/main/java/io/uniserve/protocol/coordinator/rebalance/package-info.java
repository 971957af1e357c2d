/** Moves of replicas: by a policy on measured load, or by an operator's request (docs/protocol.md, section 6). */
@NullMarked
package io.uniserve.protocol.coordinator.rebalance;

import org.jspecify.annotations.NullMarked;
