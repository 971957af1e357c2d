package io.uniserve.protocol.server.identity;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.identity.ClusterIdentities;
import java.util.List;

/** Text format of a cluster's identity, in a server's file and in the owner object of durable storage: one line per field. */
final class IdentityFile {
    /** The file in a server's data directory. */
    static final String NAME = "cluster-identity";

    private static final String FORMAT = "format=1";
    private static final String CLUSTER = "cluster=";
    private static final String IDENTITY = "identity=";

    private IdentityFile() {}

    static Bytes encode(String cluster, String identity) {
        return Bytes.utf8(FORMAT + "\n" + CLUSTER + cluster + "\n" + IDENTITY + identity + "\n");
    }

    /**
     * Decodes the identity in a file or object.
     *
     * @param what name of the file or object, for errors
     */
    static String decode(String what, Bytes data, String cluster) {
        List<String> lines = data.utf8().lines().toList();
        if (lines.size() != 3
                || !lines.get(0).equals(FORMAT)
                || !lines.get(1).startsWith(CLUSTER)
                || !lines.get(2).startsWith(IDENTITY)
                || !ClusterIdentities.isValid(lines.get(2).substring(IDENTITY.length()))) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    what + " is damaged or of a later version: it must have format 1, a cluster and its identity;"
                            + " restore it from a copy");
        }
        String named = lines.get(1).substring(CLUSTER.length());
        if (!named.equals(cluster)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    what + " belongs to cluster " + named + ", not to " + cluster
                            + ": correct the setting cluster or the directory");
        }
        return lines.get(2).substring(IDENTITY.length());
    }
}
