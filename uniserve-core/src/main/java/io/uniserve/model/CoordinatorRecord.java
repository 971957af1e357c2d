package io.uniserve.model;

/** Leading coordinator, as recorded in the ephemeral leader node. */
public record CoordinatorRecord(String id, Address address) implements RegistryValue {}
