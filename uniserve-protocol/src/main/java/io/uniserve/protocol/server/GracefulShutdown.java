package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.protocol.server.identity.ServerRegistration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graceful stop of a server: other servers take over its replicas while it continues to serve. It ends when no in-sync set contains this
 * server, after the drain time-out, or when the coordinator reports that no server can take the replicas. A server that leaves, because
 * its machine is about to be taken away, does the same without an end: it repeats its report, so that a new leader also has it.
 */
final class GracefulShutdown {
    private static final Logger LOG = LoggerFactory.getLogger(GracefulShutdown.class);
    private static final int NAMED_MAX = 10;
    /** Longer than the election of another coordinator takes. */
    private static final long SILENCE_NANOS_MAX = 15_000_000_000L;

    private final Environment env;
    private final ServerConfig config;
    private final HostedReplicas replicas;
    private final ServerRegistration registration;
    private final Supplier<@Nullable Address> coordinator;
    private @Nullable Completion<Done> completion;
    private long deadline;
    private long lastReplyNanos;
    private boolean noTarget;
    private boolean leaving;
    private boolean empty;

    GracefulShutdown(
            Environment env,
            ServerConfig config,
            HostedReplicas replicas,
            ServerRegistration registration,
            Supplier<@Nullable Address> coordinator) {
        this.env = env;
        this.config = config;
        this.replicas = replicas;
        this.registration = registration;
        this.coordinator = coordinator;
    }

    void start(Completion<Done> done) {
        completion = done;
        noTarget = false;
        lastReplyNanos = env.clock().nanos();
        deadline = env.clock().nanos() + config.drainTimeoutNanos();
    }

    /** Hands over until the process ends. Idempotent; {@link #start} may follow. */
    void leave() {
        leaving = true;
    }

    boolean isDraining() {
        return completion != null || leaving;
    }

    void tick(long now) {
        if (!isDraining()) {
            return;
        }
        List<Replica> left = replicas.all().stream().filter(this::isInSync).toList();
        if (completion == null) {
            handOver(left);
            if (left.isEmpty() && !empty) {
                LOG.info("drain: no actor counts on this server any more");
            }
            empty = left.isEmpty();
        } else if (left.isEmpty()) {
            complete();
        } else if (now - deadline >= 0) {
            endIncomplete(left, "server.drain-timeout, " + config.drainTimeoutNanos() / 1_000_000 + " ms expired");
        } else if (now - lastReplyNanos >= SILENCE_NANOS_MAX) {
            endIncomplete(left, "no coordinator answers");
        } else if (noTarget && left.stream().allMatch(Replica::isShipped)) {
            endIncomplete(left, "no other live server can take them");
        } else {
            handOver(left);
        }
    }

    private void handOver(List<Replica> left) {
        left.forEach(Replica::transferPrimary);
        reportDraining();
    }

    /** True while the actor's in-sync set contains this server. */
    private boolean isInSync(Replica replica) {
        ActorState state = replica.installedState();
        return state != null && state.isr().contains(config.id());
    }

    private void reportDraining() {
        Address address = coordinator.get();
        if (address != null) {
            PeerRequest request = new PeerRequest.Draining(config.id(), registration.incarnation());
            env.network().call(address, request, config.rpcTimeoutNanos(), reply -> {
                if (reply instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.DrainReply emptying) {
                    lastReplyNanos = env.clock().nanos();
                    if (leaving && !noTarget && !emptying.possible()) {
                        LOG.warn("drain: no other live server can take the replicas of this server: start one");
                    }
                    noTarget = !emptying.possible();
                }
            });
        }
    }

    private void endIncomplete(List<Replica> left, String why) {
        long single = left.stream().filter(this::isOnlyCopy).count();
        LOG.warn(
                "drain: ended with {} replicas left, {} of them the only copy, which are unavailable until this server"
                        + " returns: {}; {}",
                left.size(),
                single,
                why,
                left.stream()
                        .limit(NAMED_MAX)
                        .map(r -> r.table() + "/" + r.key().actor())
                        .toList());
        complete();
    }

    private boolean isOnlyCopy(Replica replica) {
        ActorState state = replica.installedState();
        return state != null && state.isr().size() == 1;
    }

    private void complete() {
        Completion<Done> waiting = completion;
        completion = null;
        if (waiting != null) {
            waiting.done(Outcome.ok(Done.DONE));
        }
    }
}
