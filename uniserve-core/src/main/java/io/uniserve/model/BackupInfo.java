package io.uniserve.model;

/**
 * Backup of a table in durable storage.
 *
 * @param id its identity, 16 hexadecimal digits
 * @param name its name; empty if it cannot be read
 * @param cluster the cluster of the table
 * @param table the table's name; empty if it cannot be read
 * @param tableId the table's number
 * @param bytes size of the checkpoints; data shared with the table's continuous backup are stored once
 * @param entries number of log entries over all actors, including those covered by checkpoints
 * @param detail description of a defect; empty for none
 */
public record BackupInfo(
        String id,
        String name,
        String cluster,
        String table,
        long tableId,
        int actors,
        State state,
        long bytes,
        long entries,
        String detail) {
    /** State of a backup; only a complete one can be restored. */
    public enum State {
        COMPLETE,
        /** It is being taken or deleted, or that was interrupted. Delete it, or take it again. */
        INCOMPLETE,
        /** Its manifest is damaged. */
        DAMAGED
    }
}
