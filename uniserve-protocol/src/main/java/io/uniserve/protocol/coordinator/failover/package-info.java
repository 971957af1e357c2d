/** Reconciliation of actors with the live servers: primaries, in-sync replicas, learners and lost actors (docs/protocol.md, section 6). */
@NullMarked
package io.uniserve.protocol.coordinator.failover;

import org.jspecify.annotations.NullMarked;
