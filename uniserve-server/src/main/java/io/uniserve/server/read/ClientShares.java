package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What each client has under way at a server: one may not take all the room that there is. Safe for use by several threads. */
public final class ClientShares {
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();
    private final int max;
    private final String what;
    private final String setting;

    /**
     * No client has anything yet.
     *
     * @param room of all clients together
     * @param what takes the room, for messages
     * @param setting that the room depends on, for messages
     */
    public ClientShares(int room, String what, String setting) {
        this.max = Math.max(1, room * Limits.CLIENT_SHARE_PERCENT / 100);
        this.what = what;
        this.setting = setting;
    }

    /** Takes room for a client; why not, where it has too much. Those without a name have the room of all. */
    public Optional<UniserveException> take(String client, int room) {
        if (client.isEmpty()) {
            return Optional.empty();
        }
        int before = taken.merge(client, room, Integer::sum) - room;
        if (before == 0 || before + room <= max) {
            return Optional.empty();
        }
        give(client, room);
        return Optional.of(new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "client " + client + " has " + before + " " + what + " under way at this server, " + max
                        + " are the most of one client (" + Limits.CLIENT_SHARE_PERCENT + " % of " + setting
                        + "); wait for answers before you ask for more"));
    }

    /** Gives back what was taken. */
    public void give(String client, int room) {
        if (!client.isEmpty()) {
            taken.computeIfPresent(client, (name, had) -> had > room ? had - room : null);
        }
    }
}
