package io.uniserve.protocol.transaction.manager;

/** Phase of a transaction at its manager: PREPARING → COMMITTING → ENDED, or PREPARING → ENDED for one that is aborted. */
public enum TransactionPhase {
    /** The participants prepare the version and vote. */
    PREPARING,
    /** The commit was sent to ZooKeeper at least once, and its outcome is not known yet. */
    COMMITTING,
    /** The decision is known, or the manager is closed. The manager has no such transaction. */
    ENDED
}
