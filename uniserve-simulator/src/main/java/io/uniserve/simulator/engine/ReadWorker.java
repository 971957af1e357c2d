package io.uniserve.simulator.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.EngineInstance;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.ReadRequest.Target;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Twin of a server's worker threads for reads outside the loop. The steps are: first gate, operator, second gate with a new reading of the
 * clock, reply. Pauses may occur between any two of them.
 */
public final class ReadWorker {
    private static final long STEP_NANOS = 400_000;
    private static final long PAUSE_NANOS = 8_000_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final SimProcess process;
    private final OperatorRunner operators;
    private final SimEngineHost host;
    private final Function<ReplicaKey, @Nullable ActorView> views;
    private final SimGatePublisher gates;
    private final ToLongFunction<ReadGate> generations;
    private final Clock clock;
    private final EngineObserver tap;
    private final SimSessionSnapshots states;
    private final SimExchange exchange;

    /**
     * @param views the state of a replica that readers see
     * @param generations the chunk generation that a reply reports for a gate
     * @param stateNumbers numbers of kept states, unique across all starts of the server
     */
    public ReadWorker(
            EventQueue queue,
            Prng random,
            FaultIntensity faultIntensity,
            SimProcess process,
            EngineInstance engine,
            SimEngineHost host,
            Function<ReplicaKey, @Nullable ActorView> views,
            SimGatePublisher gates,
            ToLongFunction<ReadGate> generations,
            Clock clock,
            EngineObserver tap,
            LongSupplier stateNumbers,
            SimExchange exchange) {
        this.exchange = exchange;
        this.states = new SimSessionSnapshots(stateNumbers);
        this.queue = queue;
        this.random = random;
        this.faultIntensity = faultIntensity;
        this.process = process;
        this.operators = new OperatorRunner(engine);
        this.host = host;
        this.views = views;
        this.gates = gates;
        this.generations = generations;
        this.clock = clock;
        this.tap = tap;
    }

    /** Serves a request. The answer has every target exactly once, as a value or a failure. */
    public void read(ReadRequest request, Completion<ReadReply> completion) {
        Work work = new Work(request, queue.now(), completion);
        if (!exchange.gathers(request.operator())) {
            begin(work);
            return;
        }
        List<Integer> actors = request.targets().stream().map(Target::actor).toList();
        exchange.deliver(request.parameters(), actors, request.remainingNanos(), outcome -> {
            if (outcome instanceof Outcome.Ok<SimExchange.Arrived> ok) {
                work.arrived = ok.value();
                begin(work);
            } else {
                UniserveException error = outcome.error();
                process.post(step(), () -> completion.done(Outcome.err(error)));
            }
        });
    }

    private void begin(Work work) {
        work.request.targets().forEach(target -> admit(work, target));
        process.post(step(), () -> run(work));
    }

    private void admit(Work work, Target target) {
        ReplicaKey key = new ReplicaKey(work.request.tableId(), target.actor());
        if (work.request.operator().equals(ReadRequest.RELEASE)) {
            work.request.session().ifPresent(session -> states.release(session, key));
            return;
        }
        if (target.version() != 0) {
            work.shares.add(new Share(key, target, null, null));
            return;
        }
        ReadGate gate = gates.of(key);
        if (gate == null) {
            work.failures.add(new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "no replica here", 0));
            return;
        }
        Optional<ActorFailure> refusal = gate.check(target, work.request.mode(), clock.nanos());
        Actor actor = host.actor(key);
        if (refusal.isPresent()) {
            work.failures.add(refusal.get());
        } else if (actor == null) {
            work.failures.add(new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "no usable actor", gate.epoch()));
        } else {
            if (work.request.mode() != ReadMode.STALE) {
                work.generation = Math.max(work.generation, generations.applyAsLong(gate));
            }
            work.shares.add(new Share(key, target, gate, actor));
        }
    }

    private void run(Work work) {
        work.open = 1;
        for (Share share : List.copyOf(work.shares)) {
            ActorView actor = seen(work.request, share);
            if (actor != null && exchange.scatters(work.request.operator())) {
                scatter(work, share, actor);
            } else if (actor != null) {
                share.value = retrieve(work, share.target, actor);
            } else {
                work.shares.remove(share);
                work.failures.add(
                        share.gate == null
                                ? new ActorFailure(share.target.actor(), ErrorCode.VERSION_GONE, "another state", 0)
                                : new ActorFailure(
                                        share.target.actor(),
                                        ErrorCode.UNAVAILABLE,
                                        "actor was replaced",
                                        share.gate.epoch()));
            }
        }
        ready(work);
    }

    private void scatter(Work work, Share share, ActorView actor) {
        work.open++;
        int number = share.target.actor();
        exchange.scatter(
                work.request.parameters(), number, actor, work.arrived, work.request.remainingNanos(), outcome -> {
                    if (outcome instanceof Outcome.Ok<Bytes> ok) {
                        share.value = ok.value();
                    } else {
                        UniserveException error = outcome.error();
                        work.shares.remove(share);
                        work.failures.add(new ActorFailure(number, error.code(), error.reason(), 0));
                    }
                    ready(work);
                });
    }

    private void ready(Work work) {
        if (--work.open == 0) {
            process.post(step(), () -> confirm(work));
        }
    }

    /** The state that the share is read from; null if it is gone. In a session it also sets the number of the state. */
    private @Nullable ActorView seen(ReadRequest request, Share share) {
        ReadRequest.SessionHold session = request.session().orElse(null);
        if (session != null && share.gate == null) {
            share.version = share.target.version();
            return session.currentOnly()
                    ? (host.state(share.key) == share.version ? host.seen(share.key) : null)
                    : states.find(session, share.key, share.version, queue.now());
        }
        ActorView view = host.actor(share.key) == share.actor ? views.apply(share.key) : null;
        if (view == null || session == null) {
            return view;
        }
        if (session.currentOnly()) {
            share.version = host.state(share.key);
            return view;
        }
        SimSessionSnapshots.Held held = states.hold(session, share.key, view, queue.now());
        share.version = held.version();
        return held.view();
    }

    private void confirm(Work work) {
        List<ReadReply.Part> parts = new ArrayList<>();
        for (Share share : work.shares) {
            ReadGate now = gates.of(share.key);
            Optional<ActorFailure> refusal = share.gate == null
                    ? Optional.empty()
                    : now == null
                            ? Optional.of(
                                    new ActorFailure(share.target.actor(), ErrorCode.UNAVAILABLE, "replica is gone", 0))
                            : now.checkAfter(share.gate, share.target, work.request.mode(), clock.nanos());
            if (refusal.isPresent()) {
                work.failures.add(refusal.get());
            } else if (share.value != null) {
                if (work.request.mode() == ReadMode.LINEARIZABLE && share.gate != null) {
                    tap.onAnswered(process.name(), share.key, share.gate.epoch(), work.takenNanos);
                }
                List<Long> versions = work.request.session().isPresent() ? List.of(share.version) : List.of();
                parts.add(new ReadReply.Part(List.of(share.target.actor()), share.value, versions));
            }
        }
        if (work.arrived != null) {
            work.arrived.close();
        }
        ReadReply reply = new ReadReply(parts, work.failures, queue.now() - work.takenNanos, work.generation);
        process.post(step(), () -> work.completion.done(Outcome.ok(reply)));
    }

    private Bytes retrieve(Work work, Target target, ActorView actor) {
        ReadRequest request = work.request;
        if (work.arrived != null) {
            return work.arrived.gather(target.actor(), actor);
        }
        if (request.operator().equals(ReadRequest.HOLD)) {
            return Bytes.EMPTY;
        }
        return operators.retrieve(request.operator(), request.parameters(), target.actor(), actor);
    }

    private long step() {
        long base = random.below(STEP_NANOS);
        return faultIntensity.draw(Fault.READ_PAUSED) ? base + random.below(PAUSE_NANOS) : base;
    }

    private static final class Share {
        private final ReplicaKey key;
        private final Target target;
        /** The first gate that passed; null in later reads of a session, which need none. */
        private final @Nullable ReadGate gate;

        private final @Nullable Actor actor;
        private long version;
        private @Nullable Bytes value;

        private Share(ReplicaKey key, Target target, @Nullable ReadGate gate, @Nullable Actor actor) {
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
        /** The chunks of a gather. */
        private SimExchange.@Nullable Arrived arrived;

        private int open;
        private long generation;

        private Work(ReadRequest request, long takenNanos, Completion<ReadReply> completion) {
            this.request = request;
            this.takenNanos = takenNanos;
            this.completion = completion;
        }
    }
}
