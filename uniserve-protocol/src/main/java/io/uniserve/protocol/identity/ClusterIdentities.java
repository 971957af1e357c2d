package io.uniserve.protocol.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.IdGenerator;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** Identities of clusters: creation, syntax, and the errors for an unexpected identity. Stateless. */
public final class ClusterIdentities {
    private static final Pattern UUIDS = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private ClusterIdentities() {}

    /** A new random identity, a UUID of version 4 and variant 2 (RFC 4122). */
    public static String random(IdGenerator ids) {
        long high = ids.next() & ~0xf000L | 0x4000L;
        long low = ids.next() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    /** True if the text has the syntax of an identity. */
    public static boolean isValid(String identity) {
        return UUIDS.matcher(identity).matches();
    }

    /**
     * The error of a process if the registry does not have the process's identity.
     *
     * @param self the process, e.g. {@code server 7f at 10.0.0.1:7071}
     * @param where the registry
     * @param found the identities in the registry
     */
    public static UniserveException foreignIdentityError(
            String self, String cluster, String identity, String where, List<String> found) {
        String theirs = found.isEmpty()
                ? "has no identity: it is empty, lost its data, or is another one"
                : "has identity " + String.join(", ", found)
                        + ": it is another cluster of that name, or was created again after a loss of its data";
        return new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                self + " belongs to cluster " + cluster + " with identity " + identity + ", but cluster " + cluster
                        + " in " + where + " " + theirs
                        + ". Nothing is changed or deleted. Correct zookeeper.connect, or restore ZooKeeper's data, and"
                        + " start again; to begin a new cluster, start servers with empty data directories and restore"
                        + " its tables from durable storage");
    }

    /** The error of a process that finds several identities in the registry, or one without the cluster's record. */
    public static UniserveException damagedIdentityError(
            String self, String cluster, String where, List<String> found) {
        return new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                self + ": cluster " + cluster + " in " + where + " has "
                        + (found.size() == 1
                                ? "identity " + found.get(0) + " but no cluster record"
                                : "several identities, " + String.join(", ", found))
                        + ": the registry lost data. Restore ZooKeeper's data from its backup and start again");
    }
}
