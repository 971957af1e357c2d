package io.uniserve.simulator.check;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Check of I6 and I7 from replication messages. Log matching follows by induction. An entry is identified by actor, epoch and index. If
 * every message has the same content of an entry and the same epoch of the entry before it, then two logs that share an entry share all
 * entries before it. It accesses entries by key only, so the iteration order of hash tables does not affect the result.
 */
public final class LogCheck {
    private final ViolationCollector violations;
    private final Map<EntryId, Seen> entries = new HashMap<>();
    private final Map<PrimaryEpoch, String> primaries = new HashMap<>();

    public LogCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /** Checks entries that a primary sends. */
    public void replicated(Replicate message) {
        checkSinglePrimary(message.key(), message.epoch(), message.primary().value(), "replicates");
        long previousEpoch = message.prevEpoch();
        long index = message.prevIndex();
        for (LogEntry entry : message.entries()) {
            index++;
            if (entry.index() != index) {
                violations.add("I6", message.key() + " message skips from " + (index - 1) + " to " + entry.index());
            }
            if (entry.epoch() < previousEpoch || entry.epoch() > message.epoch()) {
                violations.add(
                        "I6",
                        message.key() + " entry " + index + " of epoch " + entry.epoch() + " follows epoch "
                                + previousEpoch + " in a message of epoch " + message.epoch());
            }
            match(message.key(), entry, previousEpoch);
            previousEpoch = entry.epoch();
        }
    }

    /** Checks the acknowledgement of an update that the server logged in this epoch. */
    public void acknowledged(ReplicaKey key, long epoch, String server) {
        checkSinglePrimary(key, epoch, server, "acknowledges");
    }

    private void checkSinglePrimary(ReplicaKey key, long epoch, String server, String how) {
        String known = primaries.putIfAbsent(new PrimaryEpoch(key, epoch), server);
        if (known != null && !known.equals(server)) {
            violations.add(
                    "I7",
                    server + " " + how + " as primary of " + key + " in epoch " + epoch + ", as " + known + " did");
        }
    }

    private void match(ReplicaKey key, LogEntry entry, long previousEpoch) {
        Seen seen = new Seen(
                previousEpoch,
                List.of(
                        entry.type(),
                        String.valueOf(entry.request()),
                        entry.function(),
                        entry.rows(),
                        entry.version()));
        Seen known = entries.putIfAbsent(new EntryId(key, entry.epoch(), entry.index()), seen);
        if (known != null && !known.equals(seen)) {
            violations.add(
                    "I6",
                    key + " has two entries " + entry.index() + " of epoch " + entry.epoch() + ": "
                            + known.content().get(1) + " after epoch " + known.previousEpoch() + " and "
                            + entry.request() + " after epoch " + previousEpoch);
        }
    }

    /** Removes all entries seen so far; later entries are not compared with them. */
    void clearHistory() {
        entries.clear();
    }

    private record EntryId(ReplicaKey key, long epoch, long index) {}

    private record Seen(long previousEpoch, List<Object> content) {}

    private record PrimaryEpoch(ReplicaKey key, long epoch) {}
}
