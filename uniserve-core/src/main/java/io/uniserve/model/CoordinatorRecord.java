package io.uniserve.model;

/** The leading coordinator, as the ephemeral leader node tells it. */
public record CoordinatorRecord(String id, Address address) implements RegistryValue {}
