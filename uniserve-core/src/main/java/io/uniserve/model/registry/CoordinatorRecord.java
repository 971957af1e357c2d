package io.uniserve.model.registry;

import io.uniserve.model.Address;

/** Leading coordinator, as recorded in the ephemeral leader node. */
public record CoordinatorRecord(String id, Address address) implements RegistryValue {}
