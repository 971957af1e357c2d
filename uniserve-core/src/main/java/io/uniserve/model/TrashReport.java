package io.uniserve.model;

import java.util.List;

/**
 * A server's trash.
 *
 * @param entries oldest first
 * @param held replicas of tables that the registry does not know, which stay where they are since all of the server's replicas
 *     are of that kind
 * @param bytesMax above this size the oldest entries go before their time
 */
public record TrashReport(List<TrashEntry> entries, List<ReplicaKey> held, long bytesMax) {
    public TrashReport {
        entries = List.copyOf(entries);
        held = List.copyOf(held);
    }

    /** Bytes of all entries. */
    public long bytes() {
        return entries.stream().mapToLong(TrashEntry::bytes).sum();
    }
}
