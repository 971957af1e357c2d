package io.uniserve.protocol.server;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.replica.Replica;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slow scrub of the actors whose primary is on this server. It compares the digests of each actor's in-sync copies once per period, one
 * actor at a time. It also handles requests about comparisons.
 */
final class Scrubber {
    /** Number of checks per period for an actor that is due. */
    private static final int CHECKS_PER_PERIOD = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private final Environment env;
    private final long periodNanos;
    private final HostedReplicas replicas;
    private final TreeMap<ReplicaKey, Long> comparedAt = new TreeMap<>();
    private boolean running;
    private boolean stopped;

    Scrubber(Environment env, long periodNanos, HostedReplicas replicas) {
        this.env = env;
        this.periodNanos = periodNanos;
        this.replicas = replicas;
    }

    void start() {
        if (periodNanos > 0) {
            env.timers().after(periodNanos / CHECKS_PER_PERIOD, this::checkDue);
        }
    }

    void stop() {
        stopped = true;
    }

    private void checkDue() {
        if (stopped) {
            return;
        }
        env.timers().after(periodNanos / CHECKS_PER_PERIOD, this::checkDue);
        long now = env.clock().nanos();
        comparedAt.keySet().removeIf(key -> replicas.find(key) == null);
        Replica due = null;
        for (Replica replica : replicas.all()) {
            comparedAt.putIfAbsent(replica.key(), now);
            if (replica.isActivePrimary()
                    && now - lastComparedNanos(replica) >= periodNanos
                    && (due == null || lastComparedNanos(replica) - lastComparedNanos(due) < 0)) {
                due = replica;
            }
        }
        if (due != null && !running) {
            compare(due);
        }
    }

    private long lastComparedNanos(Replica replica) {
        return comparedAt.getOrDefault(replica.key(), 0L);
    }

    private void compare(Replica replica) {
        running = true;
        comparedAt.put(replica.key(), env.clock().nanos());
        replica.copyCheck().compare(outcome -> {
            running = false;
            if (outcome instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Compared compared) {
                if (compared.verdict() == Compared.Verdict.UNKNOWN) {
                    LOG.warn(
                            "{}: comparison of copies at index {} was inconclusive: {}",
                            replica.key(),
                            compared.index(),
                            compared.copies());
                }
            } else if (outcome instanceof Outcome.Err<PeerReply> err) {
                LOG.info(
                        "{}: comparison of copies failed: {}",
                        replica.key(),
                        err.error().getMessage());
            }
        });
    }

    /** Handles a request about comparisons; returns false for other requests. */
    void compared(ReplicaKey key) {
        comparedAt.put(key, env.clock().nanos());
    }
}
