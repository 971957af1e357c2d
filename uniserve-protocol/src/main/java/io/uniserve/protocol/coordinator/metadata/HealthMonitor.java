package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failure detector: pings, reports of other servers and drain requests. It is soft state and starts empty with every term. It decides
 * liveness only; safety depends on epochs.
 */
public final class HealthMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(HealthMonitor.class);
    /** Divisor of the ping interval: the pause after a failed ping. */
    private static final int RETRY_DIVISOR = 4;

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final FencedRegistry scope;
    private final MembershipManager members;
    private final Runnable onChange;
    private final TreeMap<ServerId, Health> healths = new TreeMap<>();
    private boolean suppressed;

    public HealthMonitor(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            FencedRegistry scope,
            MembershipManager members,
            Runnable changed) {
        this.config = config;
        this.env = env;
        this.scope = scope;
        this.members = members;
        this.onChange = changed;
    }

    /** Follows the membership and sends the pings that are due. */
    public void tick() {
        healths.keySet().removeIf(id -> members.find(id) == null);
        for (ServerRecord server : members.servers()) {
            Health health = health(server);
            if (!health.pinging && env.clock().nanos() - health.pingedAt >= config.pingNanos()) {
                ping(server, health);
            }
        }
        evaluateAll();
    }

    private Health health(ServerRecord server) {
        Health known = healths.get(server.id());
        if (known == null || known.incarnation != server.incarnation()) {
            known = new Health(server.incarnation(), env.clock().nanos() - config.pingNanos());
            healths.put(server.id(), known);
        }
        return known;
    }

    private void ping(ServerRecord server, Health health) {
        health.pinging = true;
        health.pingedAt = env.clock().nanos();
        PeerRequest ping = new PeerRequest.Ping(config.pingSender(), server.id());
        env.network().call(server.address(), ping, config.pingTimeoutNanos(), scope.scoped(outcome -> {
            health.pinging = false;
            if (healths.get(server.id()) != health) {
                return;
            }
            if (isAlive(server, outcome)) {
                onRecovered(server, health);
            } else {
                health.failed++;
                health.confirmed |= health.reporters(env.clock().nanos() - config.suspicionNanos()) >= 2;
                retryPing(server, health);
            }
            evaluate(server.id(), health);
        }));
    }

    /**
     * Repeats a failed ping early. If only the process died, its host rejects the connection at once, so a few quick pings detect the
     * death.
     */
    private void retryPing(ServerRecord server, Health health) {
        if (health.failed < config.failedPings()) {
            scope.after(config.pingNanos() / RETRY_DIVISOR, () -> {
                if (healths.get(server.id()) == health && !health.pinging && health.failed > 0) {
                    ping(server, health);
                }
            });
        }
    }

    private static boolean isAlive(ServerRecord server, Outcome<PeerReply> outcome) {
        return outcome instanceof Outcome.Ok<PeerReply> ok
                && ok.value() instanceof PeerReply.Pong pong
                && pong.server().equals(server.id())
                && pong.incarnation() <= server.incarnation();
    }

    private void onRecovered(ServerRecord server, Health health) {
        health.failed = 0;
        health.confirmed = false;
        health.reporters.clear();
        if (health.dead) {
            LOG.info("server {} answers pings again", server.id());
        }
    }

    /**
     * Handles a server's report that it cannot reach another server. After reports of two servers, one failed ping of the coordinator is
     * enough.
     */
    public void onSuspect(PeerRequest.Suspect report) {
        ServerRecord server = members.find(report.suspect());
        if (server == null
                || server.incarnation() != report.incarnation()
                || members.find(report.reporter()) == null
                || report.reporter().equals(report.suspect())) {
            return;
        }
        Health health = health(server);
        long now = env.clock().nanos();
        health.reporters.put(report.reporter(), now);
        if (health.reporters(now - config.suspicionNanos()) >= 2 && !health.pinging) {
            ping(server, health);
        }
    }

    /** Handles a server's request to be drained. */
    public void onDraining(PeerRequest.Draining request) {
        ServerRecord server = members.find(request.server());
        if (server != null && server.incarnation() == request.incarnation() && !health(server).draining) {
            health(server).draining = true;
            LOG.info("server {}: draining on its own request", server.id());
            onChange.run();
        }
    }

    public boolean isDraining(ServerId id) {
        Health health = current(id);
        return health != null && health.draining;
    }

    /** True if the server is registered, but dead by pings. */
    public boolean isDeadByPings(ServerId id) {
        Health health = current(id);
        return health != null && health.dead;
    }

    /** Health of the registered incarnation, or null if there is none. */
    private @Nullable Health current(ServerId id) {
        ServerRecord server = members.find(id);
        Health health = healths.get(id);
        return server != null && health != null && health.incarnation == server.incarnation() ? health : null;
    }

    /**
     * True while at least three servers, and more than half, look dead by pings alone. Then probably this coordinator is partitioned from
     * the network, so only servers that are gone from the registry are failed over.
     */
    public boolean isSuppressed() {
        return suppressed;
    }

    private void evaluateAll() {
        for (Map.Entry<ServerId, Health> entry : healths.entrySet()) {
            evaluate(entry.getKey(), entry.getValue());
        }
        limitRate();
    }

    private void evaluate(ServerId id, Health health) {
        boolean dead = health.failed >= config.failedPings() || health.confirmed && health.failed > 0;
        if (dead != health.dead) {
            health.dead = dead;
            if (dead) {
                LOG.warn(
                        "server {}: dead by pings: {} pings failed, {} servers reported it",
                        id,
                        health.failed,
                        health.reporters.size());
            }
            limitRate();
            onChange.run();
        }
    }

    private void limitRate() {
        long dead = healths.values().stream()
                .filter(h -> h.dead || h.failed >= config.failedPings() - 1)
                .count();
        boolean limit = dead >= 3 && dead * 2 > members.servers().size();
        if (limit != suppressed) {
            suppressed = limit;
            onChange.run();
            if (limit) {
                LOG.warn(
                        "{} of {} servers fail pings: fail-over only of servers that are gone from the registry",
                        dead,
                        members.servers().size());
            }
        }
    }

    /** Health of one incarnation of a server. */
    private static final class Health {
        final long incarnation;
        final TreeMap<ServerId, Long> reporters = new TreeMap<>();
        long pingedAt;
        int failed;
        boolean pinging;
        boolean confirmed;
        boolean dead;
        boolean draining;

        Health(long incarnation, long pingedAt) {
            this.incarnation = incarnation;
            this.pingedAt = pingedAt;
        }

        /** Number of servers that reported this one at or after the given time. */
        int reporters(long since) {
            reporters.values().removeIf(at -> at - since < 0);
            return reporters.size();
        }
    }
}
