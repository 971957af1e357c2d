package io.uniserve.model;

/** Replica that was removed at this epoch and may still have a read lease. */
public record Fencing(ServerId server, long epoch) {}
