package io.uniserve.protocol.identity;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Check of the cluster's identity over new connections while the registry session has no connection. ZooKeeper rejects a client that has
 * seen newer data than the server, so a session may never reconnect to a registry that lost its data. The check only reports a problem.
 * After the session has reconnected, it checks the identity itself. Not thread-safe.
 */
final class RegistryIdentityProbe {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryIdentityProbe.class);
    private static final long MILLI = 1_000_000;

    private final Registry registry;
    private final Timers timers;
    private final Function<List<String>, Optional<UniserveException>> identityError;
    private Optional<UniserveException> finding = Optional.empty();
    private boolean disconnected;
    private boolean ended;
    private long outage;

    /** @param judge returns the error if the found identities are not this cluster's; else empty */
    RegistryIdentityProbe(Registry registry, Timers timers, Function<List<String>, Optional<UniserveException>> judge) {
        this.registry = registry;
        this.timers = timers;
        this.identityError = judge;
    }

    /** The error of the last new connection, if it found something other than this cluster's identity; else empty. */
    Optional<UniserveException> finding() {
        return finding;
    }

    /** Called when the session has lost its connection, or has a new session without one. */
    void onDisconnected() {
        if (!disconnected && !ended) {
            disconnected = true;
            long mine = ++outage;
            timers.after(Limits.REGISTRY_LOSS_CHECK_MS * MILLI, () -> checkIdentity(mine));
        }
    }

    /** Called when the session has its connection again. */
    void onReconnected() {
        disconnected = false;
        outage++;
        finding = Optional.empty();
    }

    /** Stops all checks. */
    void end() {
        ended = true;
        onReconnected();
    }

    private void checkIdentity(long mine) {
        if (mine != outage) {
            return;
        }
        registry.childrenOverNewConnection(RegistryPaths.IDENTITY, found -> {
            if (mine != outage) {
                return;
            }
            if (found instanceof Outcome.Ok<List<String>> ok) {
                Optional<String> before = finding.map(UniserveException::reason);
                finding = identityError.apply(ok.value());
                finding.filter(why -> !before.equals(Optional.of(why.reason())))
                        .ifPresent(why -> LOG.error("registry session: no connection: {}", why.getMessage()));
            }
            timers.after(Limits.REGISTRY_LOSS_RECHECK_MS * MILLI, () -> checkIdentity(mine));
        });
    }
}
