package io.uniserve.model.registry;

import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.PortInfo;
import io.uniserve.model.Release;
import io.uniserve.model.ServerId;
import java.util.List;

/**
 * Live server, as recorded in its ephemeral node.
 *
 * @param incarnation larger at every start of the server
 */
public record ServerRecord(
        ServerId id,
        long incarnation,
        Address address,
        String zone,
        Capacity capacity,
        List<PortInfo> ports,
        Release release)
        implements RegistryValue {
    public ServerRecord {
        ports = List.copyOf(ports);
    }

    /** Record of a server of this release. */
    public ServerRecord(
            ServerId id, long incarnation, Address address, String zone, Capacity capacity, List<PortInfo> ports) {
        this(id, incarnation, address, zone, capacity, ports, Release.CURRENT);
    }
}
