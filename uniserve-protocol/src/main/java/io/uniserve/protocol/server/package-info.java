/**
 * The server's state machine, on one event loop ({@link io.uniserve.protocol.server.ServerStateMachine}): membership, maps, leases, pings and
 * the lifecycle of replicas.
 */
@NullMarked
package io.uniserve.protocol.server;

import org.jspecify.annotations.NullMarked;
