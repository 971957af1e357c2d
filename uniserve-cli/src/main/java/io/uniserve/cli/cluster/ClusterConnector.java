package io.uniserve.cli.cluster;

/** Connects to a cluster. */
@FunctionalInterface
public interface ClusterConnector {
    /** Connects by the first address that answers; UNAVAILABLE, with what was tried, where none does. */
    ClusterClient connect(ConnectOptions options);
}
