package io.uniserve.model.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Record of the cluster: its identity, the next table number, and the drained servers.
 *
 * @param drainedServers servers that an operator has drained, ascending; they stay drained until the operator ends it, even while they are
 *     down
 * @param tableIdsInPaths true if transaction logs, outcomes and backup records have the table's number in their path; false in a registry of an
 *     earlier version, where they only have its name
 */
public record ClusterRecord(String clusterId, long nextTableId, List<ServerId> drainedServers, boolean tableIdsInPaths)
        implements RegistryValue {
    public ClusterRecord {
        drainedServers = List.copyOf(new TreeSet<>(drainedServers));
    }

    /** Record of this version. */
    public ClusterRecord(String clusterId, long nextTableId, List<ServerId> drained) {
        this(clusterId, nextTableId, drained, true);
    }

    /** Record without drained servers. */
    public ClusterRecord(String clusterId, long nextTableId) {
        this(clusterId, nextTableId, List.of());
    }

    /** The error if this version cannot use the registry; null if it can. */
    public @Nullable UniserveException unsupportedError() {
        return tableIdsInPaths
                ? null
                : new UniserveException(
                        ErrorCode.UNSUPPORTED,
                        "the registry of cluster " + clusterId
                                + " has the layout of earlier versions: back its tables up"
                                + " with the version that made it, empty the cluster's root in the registry and the data"
                                + " directories, and restore them with this one");
    }

    /** The same with this next table number. */
    public ClusterRecord withNextTableId(long tableId) {
        return new ClusterRecord(clusterId, tableId, drainedServers, tableIdsInPaths);
    }

    /** The same with this server drained or not. */
    public ClusterRecord withDrained(ServerId server, boolean wanted) {
        TreeSet<ServerId> servers = new TreeSet<>(drainedServers);
        if (wanted) {
            servers.add(server);
        } else {
            servers.remove(server);
        }
        return new ClusterRecord(clusterId, nextTableId, List.copyOf(servers), tableIdsInPaths);
    }
}
