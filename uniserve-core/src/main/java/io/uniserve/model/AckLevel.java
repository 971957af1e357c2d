package io.uniserve.model;

/** Condition for the acknowledgement of an eventual update: it is synced on the primary's disk, or on the disk of every in-sync replica. */
public enum AckLevel {
    PRIMARY,
    ISR
}
