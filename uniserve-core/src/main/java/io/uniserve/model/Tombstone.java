package io.uniserve.model;

/**
 * Record of a table's end, kept in the registry by the table's number, which no other table ever gets. It is the proof that
 * replicas and backups of that number may be deleted: that no map names them proves nothing.
 *
 * @param name the name that the table had, or was to get
 */
public record Tombstone(long tableId, TableName name, Reason reason) implements RegistryValue {
    /** Why the number's data are of no use. */
    public enum Reason {
        /** The table was dropped. */
        DROPPED,
        /** A restoration put a table of another number in its place. */
        REPLACED,
        /** A restoration copies data under this number. The record goes when the table is there, and stays where it fails. */
        RESTORING,
        /** The table was lost, and an operator deleted the backup that stands for it. */
        GIVEN_UP
    }
}
