package io.uniserve.cli.cluster;

import io.uniserve.model.Address;
import java.util.List;

/** Connects to a cluster. */
@FunctionalInterface
public interface ClusterConnector {
    /** Connects by the first address that answers; UNAVAILABLE, with what was tried, where none does. */
    ClusterClient connect(List<Address> bootstrap);
}
