/** Metadata of the leader: tables, members, health of servers and replicas, and the context that its operations share. */
@NullMarked
package io.uniserve.protocol.coordinator.metadata;

import org.jspecify.annotations.NullMarked;
