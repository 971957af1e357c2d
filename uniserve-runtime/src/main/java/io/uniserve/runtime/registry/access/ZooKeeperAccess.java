package io.uniserve.runtime.registry.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ClientInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access lists of the cluster's folder in ZooKeeper: their check at the start of a process, and their repair. Blocks. */
public final class ZooKeeperAccess {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperAccess.class);
    private static final Clock CLOCK = SystemClock.INSTANCE;
    private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int WALKS = 3;
    private static final String SCHEME = "uniserve.zookeeper.access.scheme";
    private static final String REPAIR = "uniserve security zookeeper --protect";

    private final ZooKeeperSettings settings;
    private final ZooKeeperSecurity security;

    /**
     * Reads the identity's files.
     *
     * @throws UniserveException INVALID_CONFIGURATION if one cannot be used
     */
    public ZooKeeperAccess(ZooKeeperSettings settings) {
        this.settings = settings;
        this.security = ZooKeeperSecurity.of(settings);
    }

    /**
     * Checks the cluster's folder before a server or coordinator opens anything. Without an identity it only warns, in mode closed, that
     * others may change the folder.
     *
     * @throws UniserveException INVALID_CONFIGURATION if others may change a node, with the node and the command that repairs it;
     *     UNAUTHORIZED if a node belongs to another identity; UNAVAILABLE if ZooKeeper cannot be reached in time
     */
    public static void checkAtStart(Settings whole, ListenerKind kind) {
        ZooKeeperAccess access = new ZooKeeperAccess(whole.zookeeper());
        if (access.security.identity().isNone()) {
            if (whole.security(kind).closed()) {
                LOG.warn(
                        "{} is not set: everyone who reaches ZooKeeper at {} can change rules and maps of this cluster",
                        SCHEME,
                        access.settings.connect());
            }
            if (access.security.tls().isPresent()) {
                access.connect().close(); // the reason of a failed handshake is known here only
            }
        } else {
            access.requireProtected(access.check());
        }
    }

    /** Compares the access lists of all nodes with the identity. Fails as {@link #checkAtStart} if ZooKeeper cannot be reached. */
    public AccessReport check() {
        requireIdentity();
        return walk(client -> AccessListWalker.check(client, settings.root(), security.identity()));
    }

    /**
     * Gives all nodes to this process's identity. Repeatable after an interruption.
     *
     * @param progress receives the number of nodes so far
     */
    public AccessReport protect(IntConsumer progress) {
        requireIdentity();
        return walk(client -> AccessListWalker.set(
                client,
                settings.root(),
                security.identity(),
                security.identity().ownerList(),
                progress));
    }

    /** Opens all nodes to all, as without an identity: the reverse of {@link #protect}. */
    public AccessReport open(IntConsumer progress) {
        requireIdentity();
        return walk(client -> AccessListWalker.set(
                client, settings.root(), security.identity(), ZooKeeperIdentity.NONE.ownerList(), progress));
    }

    /** The identity of this process, as in access lists, without a password. */
    public String identity() {
        return security.identity().toString();
    }

    private void requireIdentity() {
        if (security.identity().isNone()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    SCHEME + " is not set, so there is no identity to own the nodes: set it to digest or x509");
        }
    }

    private void requireProtected(AccessReport report) {
        if (report.foreign() > 0) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "ZooKeeper node " + report.firstForeign().orElse("") + others(report.foreign(), report.nodes())
                            + ", and this process is " + identity()
                            + ": all processes of a cluster need the same identity; check uniserve.zookeeper.access.user"
                            + " and password-file (scheme digest), uniserve.zookeeper.tls.certificate-file (scheme x509),"
                            + " and uniserve.cluster");
        }
        String remedy = "run " + REPAIR + " with the configuration of this process";
        if (report.open() > 0) {
            String found = "ZooKeeper node " + report.firstOpen().orElse("") + others(report.open(), report.nodes());
            if (!security.identity().isInMigration()) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION, found + ": " + remedy + ", then start again");
            }
            LOG.warn("{}; uniserve.zookeeper.access.migration = true: {}, then set it to false", found, remedy);
        } else {
            LOG.info("ZooKeeper: all {} nodes of {} belong to {}", report.nodes(), settings.root(), identity());
        }
    }

    private static String others(int count, int nodes) {
        return count == 1 ? "" : " (and " + (count - 1) + " more of " + nodes + ")";
    }

    /** Walk over the folder with a connected client. */
    @FunctionalInterface
    private interface Walk {
        AccessReport run(ZooKeeper client) throws KeeperException, InterruptedException;
    }

    private AccessReport walk(Walk walk) {
        for (int attempt = 1; ; attempt++) {
            try (ZooKeeperConnection connection = connect()) {
                requireKnown(connection.client());
                return walk.run(connection.client());
            } catch (KeeperException e) {
                if (attempt == WALKS) {
                    throw new UniserveException(
                            ErrorCode.UNAVAILABLE,
                            "ZooKeeper at " + settings.connect() + " failed while the access lists of "
                                    + settings.root() + " were read: " + e.getMessage(),
                            e);
                }
                LOG.warn("ZooKeeper access lists: attempt {} failed: {}", attempt, e.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UniserveException(ErrorCode.CANCELLED, "interrupted while access lists were read", e);
            }
        }
    }

    /** Nodes that an unknown identity owns could never be changed again. */
    private void requireKnown(ZooKeeper client) throws InterruptedException {
        List<ClientInfo> found = client.whoAmI();
        if (found == null) {
            return; // ZooKeeper before 3.7
        }
        List<String> names = found.stream()
                .map(info -> info.getAuthScheme() + ":" + info.getUser())
                .toList();
        if (!names.contains(identity())) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "ZooKeeper at " + settings.connect() + " does not know this process as " + identity() + ", only as "
                            + names + ": its authentication of scheme "
                            + identity().replaceFirst(":.*", "")
                            + " must be on (for x509: ssl.clientAuth=need on its TLS port)");
        }
    }

    private ZooKeeperConnection connect() {
        long deadline = CLOCK.nanos() + settings.startTimeout().toNanos();
        while (true) {
            long left = Math.min(ATTEMPT_NANOS, deadline - CLOCK.nanos());
            try {
                return ZooKeeperConnection.open(
                        security,
                        settings.connect(),
                        (int) settings.sessionTimeout().toMillis(),
                        Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
                String why = security.tls()
                        .flatMap(tls -> TlsProbe.failure(tls, settings.connect()))
                        .orElse("start it (uniserve zookeeper), correct uniserve.zookeeper.connect, or set"
                                + " uniserve.zookeeper.tls if its port is for TLS");
                if (CLOCK.nanos() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                    throw new UniserveException(
                            ErrorCode.UNAVAILABLE,
                            "cannot reach ZooKeeper at " + settings.connect() + " after "
                                    + settings.startTimeout().toSeconds() + " s: " + why,
                            e);
                }
                LOG.warn("cannot reach ZooKeeper at {} yet: {}", settings.connect(), why);
            }
        }
    }
}
