package io.uniserve.model;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's identity, the next table number, and the servers that are to hold nothing.
 *
 * @param drained servers that an operator has drained, ascending; they stay so until he says otherwise, live or not
 * @param numbered logs of tables, their outcomes and backup records lie by their table's number; false in a registry of an
 *     earlier version, where they lie by its name alone
 */
public record ClusterRecord(String clusterId, long nextTableId, List<ServerId> drained, boolean numbered)
        implements RegistryValue {
    public ClusterRecord {
        drained = List.copyOf(new TreeSet<>(drained));
    }

    /** One of this version. */
    public ClusterRecord(String clusterId, long nextTableId, List<ServerId> drained) {
        this(clusterId, nextTableId, drained, true);
    }

    /** A cluster without drained servers. */
    public ClusterRecord(String clusterId, long nextTableId) {
        this(clusterId, nextTableId, List.of());
    }

    /** Why this version cannot work with the registry; null where it can. */
    public @Nullable UniserveException refusal() {
        return numbered
                ? null
                : new UniserveException(
                        ErrorCode.UNSUPPORTED,
                        "the registry of cluster " + clusterId
                                + " is laid out as by earlier versions: back its tables up"
                                + " with the version that made it, empty the cluster's root in the registry and the data"
                                + " directories, and restore them with this one");
    }

    /** The same with another next table number. */
    public ClusterRecord next(long tableId) {
        return new ClusterRecord(clusterId, tableId, drained, numbered);
    }

    /** The same where the server is drained, or is not. */
    public ClusterRecord drained(ServerId server, boolean wanted) {
        TreeSet<ServerId> servers = new TreeSet<>(drained);
        if (wanted) {
            servers.add(server);
        } else {
            servers.remove(server);
        }
        return new ClusterRecord(clusterId, nextTableId, List.copyOf(servers), numbered);
    }
}
