package io.uniserve.model;

/**
 * Replica in a server's trash. Its files are intact, but it is not part of the cluster any more.
 *
 * @param id identity on its server
 * @param table the table's name; empty if the replica's files do not have it
 * @param epoch the epoch that the replica had installed, 0 for none
 * @param lastIndex the last log index that is certainly there
 * @param bytes size of its files
 * @param trashedMs time of its move to the trash, in milliseconds since 1970 by the server's clock
 * @param keptUntilMs time of its deletion, unless the trash becomes too large before
 * @param reason reason of its move to the trash
 */
public record TrashEntry(
        String id,
        String table,
        ReplicaKey key,
        long epoch,
        long lastIndex,
        long bytes,
        long trashedMs,
        long keptUntilMs,
        String reason) {}
