package io.uniserve.model;

/** The cluster's identity and the next table number. */
public record ClusterRecord(String clusterId, long nextTableId) implements RegistryValue {}
