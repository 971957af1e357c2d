package io.uniserve.runtime.transport;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.jspecify.annotations.Nullable;

/** The cluster this process belongs to, unknown until the registry or the first routing map tells it. Safe for use by several threads. */
public final class ClusterIdentity {
    private volatile @Nullable String id;

    /** An identity that is not known yet. */
    public static ClusterIdentity unknown() {
        return new ClusterIdentity();
    }

    /** A known identity. */
    public static ClusterIdentity of(String id) {
        ClusterIdentity identity = new ClusterIdentity();
        identity.set(id);
        return identity;
    }

    /** Sets the identity once; WRONG_CLUSTER where it is already another. */
    public synchronized void set(String cluster) {
        String known = id;
        if (known != null && !known.equals(cluster)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER, "this process belongs to cluster " + known + ", not to " + cluster);
        }
        id = cluster;
    }

    /** The identity, null while unknown. */
    public @Nullable String get() {
        return id;
    }

    /** The identity, empty while unknown. */
    String orEmpty() {
        String known = id;
        return known == null ? "" : known;
    }

    /** WRONG_CLUSTER unless the caller names this cluster; UNAVAILABLE while this process does not know its own. */
    void check(String named) {
        String known = id;
        if (known == null) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "this process is starting and does not know its cluster yet; try again");
        }
        if (!known.equals(named)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    "this process belongs to cluster " + known + ", the request is for "
                            + (named.isEmpty() ? "no cluster" : named) + "; check the addresses");
        }
    }
}
