package io.uniserve.model;

/** A replica that was removed at this epoch and may still hold a read lease. */
public record Fencing(ServerId server, long epoch) {}
