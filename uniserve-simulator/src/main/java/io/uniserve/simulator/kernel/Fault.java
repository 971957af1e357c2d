package io.uniserve.simulator.kernel;

import java.util.Locale;

/** Kinds of faults in the simulator. */
public enum Fault {
    MESSAGE_LOST,
    MESSAGE_DELAYED,
    MESSAGE_DUPLICATED,
    MESSAGE_PARTITIONED,
    RESET_AFTER_DELIVERY,
    PROCESS_CRASHED,
    PROCESS_PAUSED,
    CLUSTER_CRASHED,
    SERVER_AWAY,
    REGISTRY_CONNECTION_LOST,
    REGISTRY_OUTCOME_UNKNOWN,
    REGISTRY_SESSION_EXPIRED,
    REGISTRY_DOWN,
    WATCH_DELAYED,
    DISK_UNSYNCED_LOST,
    DISK_TORN_WRITE,
    DISK_IO_ERROR,
    DISK_FULL,
    DISK_SLOW,
    DISK_HUNG,
    ENGINE_SLOW,
    ENGINE_FAILED,
    ENGINE_HUNG,
    READ_PAUSED,
    STORE_SLOW,
    STORE_FAILED,
    STORE_LIED,
    BIT_FLIPPED,
    DISK_DESTROYED,
    SERVER_DRAINED,
    REPLICA_MOVED,
    SERVER_EMPTIED,
    TABLE_DROPPED,
    CLIENT_CRASHED,
    UPDATE_POISONED,
    OBJECT_ROTTEN,
    SERVER_ISOLATED,
    REPLICA_REBALANCED,
    SERVER_JOINED,
    SERVER_LAUNCHED,
    SERVER_TERMINATED,
    BACKUP_TAKEN,
    ACTOR_LOST,
    TABLE_RESTORED,
    PLAN_REPEATED,
    CHUNK_SPILLED,
    PLAN_TOO_LARGE,
    /** No fault: two tables were read at one snapshot, and checked. */
    MOMENT_READ,
    // Append new ones at the end: the hashes of histories use the ordinals.
    REGISTRY_ANSWER_LATE,
    COPIES_WISHED,
    ENTRY_GARBLED,
    ENTRY_FORGED,
    COPY_MADE,
    COPY_DROPPED,
    /** No fault: a replica other than the primary answered a read of an actor with automatic copies. */
    COPY_READ,
    /** A put of an object takes effect once more, long after its answer. */
    PUT_REPEATED,
    /** A listing lacks the objects of the last seconds. */
    LISTED_LATE,
    /** No fault: runs of several actors' logs were stored in one object. */
    RUNS_BATCHED,
    /** No fault: such an object was deleted, as longer runs replace it. */
    BATCH_REPLACED;

    /** The name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
