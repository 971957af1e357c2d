package io.uniserve.model;

/** When an eventual update is acknowledged: fsynced by the primary alone, or by every in-sync replica. */
public enum AckLevel {
    PRIMARY,
    ISR
}
