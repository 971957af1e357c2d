package io.uniserve.model;

/**
 * A backup of a table in durable storage.
 *
 * @param id its identity, 16 hexadecimal digits
 * @param name empty where nothing of it can be read
 * @param cluster whose table it was
 * @param table the table's name, empty where nothing of it can be read
 * @param tableId the table's number
 * @param bytes of the checkpoints it refers to; what the table's continuous backup has too is stored once
 * @param entries log entries it holds, all actors together, those that its checkpoints cover included
 * @param detail what is wrong with it, empty for nothing
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
    /** Whether it can be restored. */
    public enum State {
        COMPLETE,
        /** Being taken or deleted, or broken off: delete it, or take it again. */
        INCOMPLETE,
        /** Its manifest is damaged. */
        DAMAGED
    }
}
