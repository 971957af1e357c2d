package io.uniserve.model;

import java.util.List;
import java.util.TreeSet;

/**
 * The cluster's identity, the next table number, and the servers that are to hold nothing.
 *
 * @param drained servers that an operator has drained, ascending; they stay so until he says otherwise, live or not
 */
public record ClusterRecord(String clusterId, long nextTableId, List<ServerId> drained) implements RegistryValue {
    public ClusterRecord {
        drained = List.copyOf(new TreeSet<>(drained));
    }

    /** A cluster without drained servers. */
    public ClusterRecord(String clusterId, long nextTableId) {
        this(clusterId, nextTableId, List.of());
    }

    /** The same with another next table number. */
    public ClusterRecord next(long tableId) {
        return new ClusterRecord(clusterId, tableId, drained);
    }

    /** The same where the server is drained, or is not. */
    public ClusterRecord drained(ServerId server, boolean wanted) {
        TreeSet<ServerId> servers = new TreeSet<>(drained);
        if (wanted) {
            servers.add(server);
        } else {
            servers.remove(server);
        }
        return new ClusterRecord(clusterId, nextTableId, List.copyOf(servers));
    }
}
