package io.uniserve.model;

/**
 * The identity of a cluster, in a node that is named by it. It never changes.
 *
 * @param cluster the cluster's name
 * @param identity a random UUID
 */
public record IdentityRecord(String cluster, String identity) implements RegistryValue {}
