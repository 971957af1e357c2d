package io.uniserve.runtime.transport;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.jspecify.annotations.Nullable;

/**
 * Cluster of this process: its name, which a client learns with the first routing map, and its random identity, which every call and
 * answer has in a header once it is known. Thread-safe.
 */
public final class ClusterIdentity {
    private volatile @Nullable String id;
    private volatile @Nullable String identity;
    private volatile @Nullable UniserveException rejection;

    /** Creates an unknown cluster. */
    public static ClusterIdentity unknown() {
        return new ClusterIdentity();
    }

    /** Creates a cluster with a known name. */
    public static ClusterIdentity of(String id) {
        ClusterIdentity identity = new ClusterIdentity();
        identity.setName(id);
        return identity;
    }

    /** Sets the name once. Fails with WRONG_CLUSTER if it is already another. */
    public synchronized void setName(String cluster) {
        String known = id;
        if (known != null && !known.equals(cluster)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER, "this process belongs to cluster " + known + ", not to " + cluster);
        }
        id = cluster;
    }

    /** Sets the random identity once. Fails with WRONG_CLUSTER if it is already another. */
    public void setIdentity(String found) {
        if (!found.equals(identity)) {
            setIdentityOnce(found);
        }
    }

    private synchronized void setIdentityOnce(String found) {
        checkIdentity(found);
        identity = found;
    }

    /** Random identity, null while unknown. */
    @Nullable
    String identity() {
        return identity;
    }

    /** Fails with WRONG_CLUSTER if both identities are known and differ. */
    void checkIdentity(@Nullable String theirs) {
        String own = identity;
        if (theirs != null && own != null && !own.equals(theirs)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    "this process belongs to cluster " + nameOrEmpty() + " with identity " + own
                            + ", the other side to one with identity " + theirs
                            + ": it is another cluster of that name, or was recreated; check the addresses, and connect"
                            + " again to use the other one");
        }
    }

    /** Rejects every request with this error from now on. */
    public void rejectAll(UniserveException why) {
        rejection = why;
    }

    /** Throws the error of a process that has left service. */
    public void checkServing() {
        UniserveException why = rejection;
        if (why != null) {
            throw why;
        }
    }

    /** Name, null while unknown. */
    public @Nullable String name() {
        return id;
    }

    /** Name, empty while unknown. */
    public String nameOrEmpty() {
        String known = id;
        return known == null ? "" : known;
    }

    /**
     * Fails with WRONG_CLUSTER if the caller's name is of another cluster, with UNAVAILABLE while this process does not know its own.
     */
    public void checkName(String named) {
        checkServing();
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
