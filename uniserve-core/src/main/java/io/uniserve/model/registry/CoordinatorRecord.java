package io.uniserve.model.registry;

import io.uniserve.model.Address;

/**
 * Leading coordinator, as recorded in the ephemeral leader node.
 *
 * @param closed true in mode closed; false in mode open, and in records of builds without this field
 */
public record CoordinatorRecord(String id, Address address, boolean closed) implements RegistryValue {
    /** Record of a coordinator in mode open. */
    public CoordinatorRecord(String id, Address address) {
        this(id, address, false);
    }
}
