package io.uniserve.protocol.server.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.identity.ClusterModes;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.FatalErrorHandler;
import io.uniserve.protocol.server.config.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Registration of a server: its ephemeral node in ZooKeeper. It replaces a node of an earlier incarnation, unless a process at another
 * address still answers with this server's id. Then that process started first. This process runs on a copy of its data, and must end. The
 * same holds if the node has the same or a later incarnation.
 */
public final class ServerRegistration {
    /** Maximum number of sessions per start. Each session is an incarnation of its own, below those of the next start. */
    private static final long SESSIONS_MAX = 1_000_000;

    /**
     * Number of pings to another process that may run with this id. One is not enough, because the first request to a new process may be
     * slow.
     */
    private static final int PINGS_MAX = 3;

    private final Environment env;
    private final ServerConfig config;
    private final FatalErrorHandler fatal;
    private long incarnation;
    private boolean registered;
    private boolean busy;
    private boolean stopped;
    private @Nullable CoordinatorRecord checkedLeader;
    private final RegistryConnectionMonitor contact;
    private Runnable whenRegistered = () -> {};

    public ServerRegistration(
            Environment env, ServerConfig config, FatalErrorHandler fatal, RegistryConnectionMonitor contact) {
        this.contact = contact;
        this.env = env;
        this.config = config;
        this.fatal = fatal;
        this.incarnation = config.incarnation() * SESSIONS_MAX;
    }

    public long incarnation() {
        return incarnation;
    }

    public boolean isRegistered() {
        return registered;
    }

    public void start(Runnable then) {
        whenRegistered = then;
        checkOrCreateNode();
    }

    /** Handles the end of the session, which also ends the node. */
    public void onSessionExpired() {
        registered = false;
        incarnation++;
    }

    /** Checks whether the node exists, and creates it if needed. */
    public void checkOrCreateNode() {
        if (busy || stopped) {
            return;
        }
        busy = true;
        env.registry()
                .sync(synced -> env.registry().read(path(), read -> {
                    if (read instanceof Outcome.Ok<Versioned> ok) {
                        decide(ok.value());
                    } else {
                        later();
                    }
                }));
    }

    /** Ends a process in mode open, if the leader, as read from its node, is in mode closed. */
    public void checkMode(Versioned read) {
        if (!stopped && read.value() instanceof CoordinatorRecord leader && !leader.equals(checkedLeader)) {
            checkedLeader = leader;
            ClusterModes.refusal(config.closed(), config.self(), leader).ifPresent(fatal::onFatal);
        }
    }

    private void decide(Versioned found) {
        if (found.value() instanceof ServerRecord record) {
            if (record.equals(record())) {
                done();
                return;
            }
            if (record.incarnation() >= incarnation) {
                inUse(record);
                return;
            }
            if (!record.address().equals(config.address())) {
                replaceUnlessAlive(found, record, PINGS_MAX);
                return;
            }
        }
        replace(found);
    }

    /**
     * Replaces the node of a process at another address if that process does not answer. An earlier start at the same address has ended,
     * because this process listens there.
     */
    private void replaceUnlessAlive(Versioned found, ServerRecord record, int times) {
        PeerRequest ping = new PeerRequest.Ping(config.id(), config.id());
        env.network().call(record.address(), ping, config.rpcTimeoutNanos(), reply -> {
            if (reply instanceof Outcome.Ok<PeerReply> ok
                    && ok.value() instanceof PeerReply.Pong pong
                    && pong.server().equals(config.id())) {
                inUse(record);
            } else if (times > 1 && reply instanceof Outcome.Err<PeerReply>) {
                replaceUnlessAlive(found, record, times - 1);
            } else {
                replace(found);
            }
        });
    }

    private void inUse(ServerRecord record) {
        fatal.onFatal(new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "server id " + config.id() + " is in use at " + record.address()
                        + " (copied data directory?): give each server its own, new and empty"));
    }

    private void replace(Versioned found) {
        List<Op> ops = new ArrayList<>();
        if (found.value() != null) {
            ops.add(new Op.Delete(path(), found.version()));
        }
        ServerRecord mine = record();
        ops.add(new Op.Create(path(), mine, true));
        env.registry().multi(ops, made -> {
            if (made instanceof Outcome.Ok<MultiResult> ok && ok.value().applied() && mine.equals(record())) {
                done();
            } else {
                later();
            }
        });
    }

    private void done() {
        busy = false;
        registered = true;
        contact.onRegistered(env.clock().nanos());
        Runnable then = whenRegistered;
        whenRegistered = () -> {};
        then.run();
    }

    private void later() {
        env.timers().after(2 * config.replicas().retryNanos(), () -> {
            busy = false;
            checkOrCreateNode();
        });
    }

    public void stop() {
        stopped = true;
    }

    private ServerRecord record() {
        return new ServerRecord(
                config.id(), incarnation, config.address(), config.zone(), config.capacity(), config.ports());
    }

    private String path() {
        return RegistryPaths.server(config.id());
    }
}
