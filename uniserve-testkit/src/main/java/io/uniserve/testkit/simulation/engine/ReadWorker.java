package io.uniserve.testkit.simulation.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.ReadRequest.Target;
import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.kernel.Process;
import io.uniserve.testkit.simulation.kernel.Weather;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers reads as a server's worker threads do, beside the loop: first gate, operator, second gate with the clock, reply.
 * It may be held up between any two of these steps.
 */
public final class ReadWorker {
    private static final long STEP_NANOS = 400_000;
    private static final long PAUSE_NANOS = 8_000_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final Weather weather;
    private final Process process;
    private final EngineInstance engine;
    private final SimEngineHost host;
    private final Gates gates;
    private final Clock clock;
    private final EngineTap tap;

    public ReadWorker(
            EventQueue queue,
            Prng random,
            Weather weather,
            Process process,
            EngineInstance engine,
            SimEngineHost host,
            Gates gates,
            Clock clock,
            EngineTap tap) {
        this.queue = queue;
        this.random = random;
        this.weather = weather;
        this.process = process;
        this.engine = engine;
        this.host = host;
        this.gates = gates;
        this.clock = clock;
        this.tap = tap;
    }

    /** Serves a request; the answer holds every target exactly once. */
    public void read(ReadRequest request, Completion<ReadReply> completion) {
        Work work = new Work(request, queue.now(), completion);
        request.targets().forEach(target -> admit(work, target));
        process.post(step(), () -> run(work));
    }

    private void admit(Work work, Target target) {
        ReplicaKey key = new ReplicaKey(work.request.tableId(), target.actor());
        ReadGate gate = gates.of(key);
        if (gate == null) {
            work.failures.add(new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "no replica here", 0));
            return;
        }
        Optional<ActorFailure> refusal = gate.refuse(target, work.request.mode(), clock.nanos());
        Actor actor = host.actor(key);
        if (refusal.isPresent()) {
            work.failures.add(refusal.get());
        } else if (actor == null) {
            work.failures.add(new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "no usable actor", gate.epoch()));
        } else {
            work.shares.add(new Share(key, target, gate, actor));
        }
    }

    private void run(Work work) {
        for (Share share : List.copyOf(work.shares)) {
            if (host.actor(share.key) == share.actor) {
                share.value = retrieve(work.request, share);
            } else {
                work.shares.remove(share);
                work.failures.add(new ActorFailure(
                        share.target.actor(), ErrorCode.UNAVAILABLE, "actor was replaced", share.gate.epoch()));
            }
        }
        process.post(step(), () -> confirm(work));
    }

    private void confirm(Work work) {
        List<ReadReply.Part> parts = new ArrayList<>();
        for (Share share : work.shares) {
            ReadGate now = gates.of(share.key);
            Optional<ActorFailure> refusal = now == null
                    ? Optional.of(new ActorFailure(share.target.actor(), ErrorCode.UNAVAILABLE, "replica is gone", 0))
                    : now.refuseAfter(share.gate, share.target, work.request.mode(), clock.nanos());
            if (refusal.isPresent()) {
                work.failures.add(refusal.get());
            } else if (share.value != null) {
                if (work.request.mode() == ReadMode.LINEARIZABLE) {
                    tap.answered(process.name(), share.key, share.gate.epoch(), work.takenNanos);
                }
                parts.add(new ReadReply.Part(List.of(share.target.actor()), share.value));
            }
        }
        ReadReply reply = new ReadReply(parts, work.failures, queue.now() - work.takenNanos);
        process.post(step(), () -> work.completion.done(Outcome.ok(reply)));
    }

    private Bytes retrieve(ReadRequest request, Share share) {
        for (Operator<?, ?> operator : engine.operators()) {
            if (operator.id().equals(request.operator()) && operator instanceof RetrieveOperator<?, ?, ?> retrieve) {
                return retrieve(retrieve, request, share);
            }
        }
        throw new UniserveException(ErrorCode.UNKNOWN_OPERATOR, "port has no operator " + request.operator());
    }

    private static <A extends Actor, P, V> Bytes retrieve(
            RetrieveOperator<A, P, V> operator, ReadRequest request, Share share) {
        P parameters = operator.parameters().decode(request.parameters());
        V value = operator.retrieve(
                operator.actorType().cast(share.actor), new Context(share.target.actor()), parameters);
        return operator.values().encode(value);
    }

    private long step() {
        long base = random.below(STEP_NANOS);
        return weather.strikes(Fault.READ_PAUSED) ? base + random.below(PAUSE_NANOS) : base;
    }

    private record Context(int actor) implements OperatorContext {
        @Override
        public long remainingNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void checkActive() {
            // the caller gives up by itself
        }
    }

    private static final class Share {
        private final ReplicaKey key;
        private final Target target;
        private final ReadGate gate;
        private final Actor actor;
        private @Nullable Bytes value;

        private Share(ReplicaKey key, Target target, ReadGate gate, Actor actor) {
            this.key = key;
            this.target = target;
            this.gate = gate;
            this.actor = actor;
        }
    }

    private static final class Work {
        private final ReadRequest request;
        private final long takenNanos;
        private final List<Share> shares = new ArrayList<>();
        private final List<ActorFailure> failures = new ArrayList<>();
        private final Completion<ReadReply> completion;

        private Work(ReadRequest request, long takenNanos, Completion<ReadReply> completion) {
            this.request = request;
            this.takenNanos = takenNanos;
            this.completion = completion;
        }
    }
}
