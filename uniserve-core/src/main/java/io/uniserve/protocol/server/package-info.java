/**
 * The server's state machine: membership, maps, leases, pings and the life of replicas, on one loop and one tick
 * ({@link io.uniserve.protocol.server.ServerMachine}).
 */
@NullMarked
package io.uniserve.protocol.server;

import org.jspecify.annotations.NullMarked;
