package io.uniserve.model;

/**
 * A replica in a server's trash: its files are whole, and no longer a part of the cluster.
 *
 * @param id names it on its server
 * @param table the table's name; empty where the replica's files do not tell it
 * @param epoch the epoch that the replica had installed, 0 for none
 * @param lastIndex the last log index that is certain to be there
 * @param bytes of its files
 * @param trashedMs when it came there, in milliseconds since 1970 by the server's clock
 * @param keptUntilMs when it is deleted, unless the trash becomes too large before that
 * @param reason why it is there
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
