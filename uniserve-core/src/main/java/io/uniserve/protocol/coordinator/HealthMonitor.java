package io.uniserve.protocol.coordinator;

import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
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
final class HealthMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(HealthMonitor.class);
    /** Divisor of the ping interval: the pause after a failed ping. */
    private static final int AGAIN = 4;

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final FencedRegistry scope;
    private final MembershipManager members;
    private final Runnable changed;
    private final TreeMap<ServerId, Health> healths = new TreeMap<>();
    private boolean suppressed;

    HealthMonitor(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            FencedRegistry scope,
            MembershipManager members,
            Runnable changed) {
        this.config = config;
        this.env = env;
        this.scope = scope;
        this.members = members;
        this.changed = changed;
    }

    /** Follows the membership and sends the pings that are due. */
    void tick() {
        healths.keySet().removeIf(id -> members.find(id) == null);
        for (ServerRecord server : members.servers()) {
            Health health = health(server);
            if (!health.pinging && env.clock().nanos() - health.pingedAt >= config.pingNanos()) {
                ping(server, health);
            }
        }
        judgeAll();
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
        PeerRequest ping = new PeerRequest.Ping(config.sender(), server.id());
        env.network().call(server.address(), ping, config.pingTimeoutNanos(), scope.scoped(outcome -> {
            health.pinging = false;
            if (healths.get(server.id()) != health) {
                return;
            }
            if (alive(server, outcome)) {
                recovered(server, health);
            } else {
                health.failed++;
                health.confirmed |= health.reporters(env.clock().nanos() - config.suspicionNanos()) >= 2;
                again(server, health);
            }
            judge(server.id(), health);
        }));
    }

    /**
     * Repeats a failed ping early. If only the process died, its host rejects the connection at once, so a few quick pings detect the
     * death.
     */
    private void again(ServerRecord server, Health health) {
        if (health.failed < config.failedPings()) {
            scope.after(config.pingNanos() / AGAIN, () -> {
                if (healths.get(server.id()) == health && !health.pinging && health.failed > 0) {
                    ping(server, health);
                }
            });
        }
    }

    private static boolean alive(ServerRecord server, Outcome<PeerReply> outcome) {
        return outcome instanceof Outcome.Ok<PeerReply> ok
                && ok.value() instanceof PeerReply.Pong pong
                && pong.server().equals(server.id())
                && pong.incarnation() <= server.incarnation();
    }

    private void recovered(ServerRecord server, Health health) {
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
    void suspect(PeerRequest.Suspect report) {
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
    void draining(PeerRequest.Draining request) {
        ServerRecord server = members.find(request.server());
        if (server != null && server.incarnation() == request.incarnation() && !health(server).draining) {
            health(server).draining = true;
            LOG.info("server {}: draining on its own request", server.id());
            changed.run();
        }
    }

    boolean isDraining(ServerId id) {
        Health health = current(id);
        return health != null && health.draining;
    }

    /** True if the server is registered, but dead by pings. */
    boolean deadByPings(ServerId id) {
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
    boolean suppressed() {
        return suppressed;
    }

    private void judgeAll() {
        for (Map.Entry<ServerId, Health> entry : healths.entrySet()) {
            judge(entry.getKey(), entry.getValue());
        }
        limitRate();
    }

    private void judge(ServerId id, Health health) {
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
            changed.run();
        }
    }

    private void limitRate() {
        long dead = healths.values().stream()
                .filter(h -> h.dead || h.failed >= config.failedPings() - 1)
                .count();
        boolean limit = dead >= 3 && dead * 2 > members.servers().size();
        if (limit != suppressed) {
            suppressed = limit;
            changed.run();
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
