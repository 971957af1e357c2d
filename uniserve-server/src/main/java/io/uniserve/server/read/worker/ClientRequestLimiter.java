package io.uniserve.server.read.worker;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.KeyedCounter;
import io.uniserve.limit.Limits;
import java.util.Optional;

/** Limits on the requests of each client at a server, so that one client cannot fill the queue. Thread-safe. */
public final class ClientRequestLimiter {
    private final KeyedCounter reserved = new KeyedCounter();
    private final int max;
    private final String what;
    private final String setting;

    /**
     * Creates the limits; no client has a request yet.
     *
     * @param room capacity for all clients together
     * @param what name of the requests, for messages
     * @param setting name of the option that sets the capacity, for messages
     */
    public ClientRequestLimiter(int room, String what, String setting) {
        this.max = Math.max(1, room * Limits.CLIENT_SHARE_PERCENT / 100);
        this.what = what;
        this.setting = setting;
    }

    /** Reserves capacity for a client; returns the error if it has too much. Clients without a name have no limit of their own. */
    public Optional<UniserveException> reserve(String client, int room) {
        if (client.isEmpty()) {
            return Optional.empty();
        }
        long before = reserved.add(client, room) - room;
        if (before == 0 || before + room <= max) {
            return Optional.empty();
        }
        release(client, room);
        return Optional.of(new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "client " + client + " has " + before + " " + what + " under way at this server, " + max
                        + " are the most of one client (" + Limits.CLIENT_SHARE_PERCENT + " % of " + setting
                        + "); wait for answers before sending more"));
    }

    /** Returns reserved capacity. */
    public void release(String client, int room) {
        if (!client.isEmpty()) {
            reserved.subtract(client, room);
        }
    }
}
