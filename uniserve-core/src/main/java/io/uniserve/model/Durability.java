package io.uniserve.model;

/** Where an update must be before it is acknowledged. */
public enum Durability {
    /** On the disks of all in-sync replicas. Durable storage follows within the log-shipping interval. */
    LOCAL,
    /** In durable storage too: nothing acknowledged is lost with every disk of the cluster. An update waits for the upload. */
    REMOTE
}
