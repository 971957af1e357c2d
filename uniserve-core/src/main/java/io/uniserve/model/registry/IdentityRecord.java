package io.uniserve.model.registry;

/**
 * Identity of a cluster, in a node that has it as its name. It never changes.
 *
 * @param cluster the cluster's name
 * @param identity a random UUID
 */
public record IdentityRecord(String cluster, String identity) implements RegistryValue {}
