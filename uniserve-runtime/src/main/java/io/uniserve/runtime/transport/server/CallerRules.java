package io.uniserve.runtime.transport.server;

import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import java.util.Optional;

/**
 * Rules of mode closed: an identity of another cluster or of ZooKeeper calls nothing, and a caller without one only logs in or reads the
 * health pages;
 * methods between processes are for servers and coordinators. Immutable.
 */
public final class CallerRules {
    private final String cluster;

    /** @param cluster name of this process's cluster */
    public CallerRules(String cluster) {
        this.cluster = cluster;
    }

    /**
     * Why the caller may not call the method; empty if it may.
     *
     * @param caller identity of its certificate, or of the user of its token
     * @param method full name, such as {@code uniserve.Admin/Call}
     */
    Optional<String> refusal(Optional<CertifiedIdentity> caller, String method) {
        return refusal(caller, MethodCallers.of(method));
    }

    /**
     * Why the caller may not call what is for these callers; empty if it may.
     *
     * @param callers declared callers of a method or route
     */
    public Optional<String> refusal(Optional<CertifiedIdentity> caller, Callers callers) {
        if (caller.isEmpty()) {
            return callers == Callers.ANYONE
                    ? Optional.empty()
                    : Optional.of(
                            "it has no identity: use a certificate made by uniserve security issue, or a user with"
                                    + " a password");
        }
        if (!caller.get().cluster().equals(cluster)) {
            return Optional.of("its identity " + caller.get() + " is not of cluster " + cluster);
        }
        if (caller.get().kind() == Kind.ZOOKEEPER) {
            return Optional.of(
                    "its identity " + caller.get() + " is that of a ZooKeeper server, which calls no process");
        }
        return switch (callers) {
            case EVERYONE, ANYONE -> Optional.empty();
            case PROCESSES ->
                caller.get().kind() == Kind.SERVER
                        ? Optional.empty()
                        : Optional.of(caller.get() + " is no server: only servers and coordinators may call it");
            default -> Optional.of("the method declares no callers");
        };
    }
}
