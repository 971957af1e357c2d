package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.Replica;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Leaves in good order: others take over what they can while this server goes on serving. */
final class Drain {
    private final Environment env;
    private final ServerConfig config;
    private final ReplicaSet replicas;
    private final Registration registration;
    private final Consumer<PeerRequest> coordinator;
    private @Nullable Completion<Done> completion;
    private long deadline;

    Drain(
            Environment env,
            ServerConfig config,
            ReplicaSet replicas,
            Registration registration,
            Consumer<PeerRequest> coordinator) {
        this.env = env;
        this.config = config;
        this.replicas = replicas;
        this.registration = registration;
        this.coordinator = coordinator;
    }

    void start(Completion<Done> done) {
        completion = done;
        deadline = env.clock().nanos() + config.drainTimeoutNanos();
    }

    boolean draining() {
        return completion != null;
    }

    void tick(long now) {
        Completion<Done> waiting = completion;
        if (waiting == null) {
            return;
        }
        if (now - deadline >= 0 || replicas.all().stream().noneMatch(this::movable)) {
            completion = null;
            waiting.done(Outcome.ok(Done.DONE));
            return;
        }
        coordinator.accept(new PeerRequest.Draining(config.id(), registration.incarnation()));
    }

    /** True while others could go on without a gap if they were given what this replica is. */
    private boolean movable(Replica replica) {
        ActorState state = replica.current();
        ServerId self = config.id();
        if (state == null || !state.isr().contains(self)) {
            return false;
        }
        return state.isr().size() > 1 || !replica.shipped();
    }
}
