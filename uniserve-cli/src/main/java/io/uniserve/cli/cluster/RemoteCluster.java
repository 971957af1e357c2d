package io.uniserve.cli.cluster;

import io.uniserve.model.Address;
import java.util.List;

/** tmp. */
public final class RemoteCluster {
    private RemoteCluster() {}

    public static ClusterClient connect(List<Address> bootstrap) {
        throw new IllegalStateException("none" + bootstrap);
    }
}
