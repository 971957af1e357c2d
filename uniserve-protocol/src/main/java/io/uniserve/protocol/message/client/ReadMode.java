package io.uniserve.protocol.message.client;

/** Freshness of a read. */
public enum ReadMode {
    /** In-sync replicas with a valid lease. */
    LINEARIZABLE,
    /** Any replica that has the actor, regardless of its age; different actors may be from different moments. Works without ZooKeeper. */
    STALE,
    /** State of a moment after the request that ZooKeeper confirms. It depends on no lease and no clock. For atomic tables only. */
    STRICT
}
