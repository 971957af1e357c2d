package io.uniserve.protocol.message;

/** How fresh an answer must be. */
public enum ReadMode {
    /** In-sync replicas with a valid lease. */
    LINEARIZABLE,
    /** Any replica that has the actor, however old its state; of several actors a mixture. Goes on without ZooKeeper. */
    STALE,
    /**
     * As of a moment after the question that ZooKeeper confirms: rests on no lease and no clock. For tables whose updates are
     * atomic.
     */
    STRICT
}
