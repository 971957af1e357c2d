package io.uniserve.model;

/** Place where an update must be stored before it is acknowledged. */
public enum Durability {
    /** On the disks of all in-sync replicas. Durable storage follows within the log-shipping interval. */
    LOCAL,
    /** In durable storage too. No acknowledged update is lost with all disks of the cluster, but an update waits for the upload. */
    REMOTE
}
