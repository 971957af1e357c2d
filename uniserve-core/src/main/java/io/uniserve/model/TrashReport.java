package io.uniserve.model;

import java.util.List;

/**
 * Trash of a server.
 *
 * @param entries oldest first
 * @param heldReplicas replicas of tables that the registry does not have; they stay in place, as all replicas of the server are of that kind
 * @param bytesMax size of the trash above which the oldest entries are deleted early
 */
public record TrashReport(List<TrashEntry> entries, List<ReplicaKey> heldReplicas, long bytesMax) {
    public TrashReport {
        entries = List.copyOf(entries);
        heldReplicas = List.copyOf(heldReplicas);
    }

    /** Size of all entries in bytes. */
    public long bytes() {
        return entries.stream().mapToLong(TrashEntry::bytes).sum();
    }
}
