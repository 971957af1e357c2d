package io.uniserve.simulator.scaling;

import io.uniserve.model.ServerId;

/** Machine of the simulated provider. Not thread-safe. */
final class ServerMachine {
    final String id;
    final String token;
    final ServerId server;
    final int address;
    final long startNanos;
    boolean ended;
    long endNanos;

    ServerMachine(String id, String token, ServerId server, int address, long startNanos) {
        this.id = id;
        this.token = token;
        this.server = server;
        this.address = address;
        this.startNanos = startNanos;
    }
}
