package io.uniserve.protocol.message;

/** How fresh an answer must be. */
public enum ReadMode {
    /** In-sync replicas with a valid lease. */
    LINEARIZABLE,
    /** Any replica that has the actor. */
    STALE
}
