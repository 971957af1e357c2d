package io.uniserve.model;

/** Rule of a table for an actor that has lost all in-sync replicas while its shipped log may be incomplete. */
public enum OnLoss {
    /** Wait for a replica to come back. The actor is unavailable meanwhile. */
    WAIT,
    /** Restore all actors of the table to one version in the backup. Only for serializable tables. */
    RESTORE_TABLE,
    /** Restore only this actor from durable storage, with a loss of at most the log-shipping interval. Only for eventual tables. */
    RESTORE_ACTOR
}
