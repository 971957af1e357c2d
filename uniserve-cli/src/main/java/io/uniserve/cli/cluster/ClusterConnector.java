package io.uniserve.cli.cluster;

/** Factory of connections to a cluster. */
@FunctionalInterface
public interface ClusterConnector {
    /** Connects to the first address that answers. Fails with UNAVAILABLE, with the cause per address, if none answers. */
    ClusterClient connect(ConnectOptions options);
}
