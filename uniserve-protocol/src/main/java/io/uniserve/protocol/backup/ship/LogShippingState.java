package io.uniserve.protocol.backup.ship;

/** State of the shipping of one actor's log to durable storage, for metrics. */
public enum LogShippingState {
    /** Nothing is shipped: the replica is not the primary, or its server has no durable storage. */
    OFF,
    /** The actor's backup record is neither read nor written yet. Nothing is shipped before. */
    STARTING,
    /** Durable storage is searched for entries that are not in the record. */
    CHECKING,
    /** A write of entries is under way. */
    SHIPPING,
    /** No write is under way: all entries are shipped, or the next write is not due. */
    IDLE,
    /** The last write failed, or durable storage does not answer one. It is retried. */
    FAILING
}
