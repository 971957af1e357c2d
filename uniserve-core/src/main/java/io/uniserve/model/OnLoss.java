package io.uniserve.model;

/** What to do when every in-sync replica of an actor is gone and its shipped log may be incomplete. */
public enum OnLoss {
    /** Wait for a replica to come back; the actor is unavailable meanwhile. */
    WAIT,
    /** Restore all actors of the table to one backed-up version. Needs a serializable table. */
    RESTORE_TABLE,
    /** Restore the actor alone from what durable storage has; at most the log-shipping interval is lost. Eventual tables only. */
    RESTORE_ACTOR
}
