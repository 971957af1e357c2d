package io.uniserve.model.registry;

import io.uniserve.model.TableName;

/**
 * Record of a table's end, kept in the registry by the table's number, which is never reused. It is the proof that replicas and backups of
 * that number may be deleted. The absence of the number from all maps is no proof.
 *
 * @param name the name that the table had, or was to get
 */
public record Tombstone(long tableId, TableName name, Reason reason) implements RegistryValue {
    /** Reason why the data of the number are obsolete. */
    public enum Reason {
        /** The table was dropped. */
        DROPPED,
        /** A restoration replaced the table by one with another number. */
        REPLACED,
        /** A restoration copies data under this number. The record is removed once the table exists, and stays if the restoration fails. */
        RESTORING,
        /** The table was lost, and an operator deleted the backup that represents it. */
        GIVEN_UP
    }
}
