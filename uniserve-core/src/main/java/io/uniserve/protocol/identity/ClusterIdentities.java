package io.uniserve.protocol.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Ids;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** Identities of clusters: new ones, and the errors of those that meet another one. Stateless. */
public final class ClusterIdentities {
    private static final Pattern UUIDS = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private ClusterIdentities() {}

    /** A new identity: version 4, variant 2, as RFC 4122 marks random ones. */
    public static String random(Ids ids) {
        long high = ids.next() & ~0xf000L | 0x4000L;
        long low = ids.next() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    /** True for the text of an identity. */
    public static boolean valid(String identity) {
        return UUIDS.matcher(identity).matches();
    }

    /**
     * The error of a process whose registry does not have its identity.
     *
     * @param self the process, e.g. {@code server 7f at 10.0.0.1:7071}
     * @param where the registry
     * @param found the identities that the registry has
     */
    public static UniserveException foreign(
            String self, String cluster, String identity, String where, List<String> found) {
        String theirs = found.isEmpty()
                ? "has no identity: it is empty, lost its data, or is another one"
                : "has identity " + String.join(", ", found)
                        + ": it is another cluster of that name, or was begun anew after a loss of its data";
        return new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                self + " belongs to cluster " + cluster + " with identity " + identity + ", but cluster " + cluster
                        + " in " + where + " " + theirs
                        + ". Nothing is changed or deleted. Correct zookeeper.connect, or restore ZooKeeper's data, and"
                        + " start again; to begin a new cluster, start servers with empty data directories and restore"
                        + " its tables from durable storage");
    }

    /** The error of a process that finds several identities in its registry, or one without the cluster's record. */
    public static UniserveException damaged(String self, String cluster, String where, List<String> found) {
        return new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                self + ": cluster " + cluster + " in " + where + " has "
                        + (found.size() == 1
                                ? "identity " + found.get(0) + " but no cluster record"
                                : "several identities, " + String.join(", ", found))
                        + ": the registry lost data. Restore ZooKeeper's data from its backup and start again");
    }
}
