package io.uniserve.testkit.simulation.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.message.VersionedRead.Target;
import io.uniserve.protocol.tx.SnapshotShelf;
import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.kernel.Process;
import io.uniserve.testkit.simulation.kernel.Weather;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Answers reads of one version as a server's worker threads would: what the server knows, each actor's gate, doubts settled
 * on the loop, the state fixed, and, last, the gate again by the clock. It may be held up between any two of these steps.
 */
public final class VersionedReader {
    private static final long STEP_NANOS = 400_000;
    private static final long PAUSE_NANOS = 8_000_000_000L;

    private final Prng random;
    private final Weather weather;
    private final Process process;
    private final Operators operators;
    private final SimEngineHost host;
    private final Gates gates;
    private final Clock clock;
    private final Settler settler;
    private final UnaryOperator<ReadGate> eyes;
    private final EventQueue queue;
    private final EngineTap tap;
    private final SimExchange exchange;

    /** Settles doubts on the server's loop. */
    @FunctionalInterface
    public interface Settler {
        void settle(VersionedRead request, ReplicaKey key, Completion<Done> completion);
    }

    /** @param eyes how it sees a gate */
    public VersionedReader(
            Prng random,
            Weather weather,
            Process process,
            EngineInstance engine,
            SimEngineHost host,
            Gates gates,
            Clock clock,
            Settler settler,
            UnaryOperator<ReadGate> eyes,
            EventQueue queue,
            EngineTap tap,
            SimExchange exchange) {
        this.exchange = exchange;
        this.queue = queue;
        this.tap = tap;
        this.random = random;
        this.weather = weather;
        this.process = process;
        this.operators = new Operators(engine);
        this.host = host;
        this.gates = gates;
        this.clock = clock;
        this.settler = settler;
        this.eyes = eyes;
    }

    /** Serves a request; the answer holds every target exactly once. */
    public void read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
        Work work = new Work(request, queue.now(), gates.version(request.tableId()), completion);
        if (!exchange.gathers(request.operator())) {
            process.post(step(), () -> admit(work));
            return;
        }
        List<Integer> actors = request.targets().stream().map(Target::actor).toList();
        exchange.deliver(request.parameters(), actors, request.remainingNanos(), outcome -> {
            if (outcome instanceof Outcome.Ok<SimExchange.Arrived> ok) {
                work.arrived = ok.value();
                process.post(step(), () -> admit(work));
            } else {
                UniserveException error = ((Outcome.Err<SimExchange.Arrived>) outcome).error();
                process.post(step(), () -> completion.done(Outcome.err(error)));
            }
        });
    }

    private void admit(Work work) {
        for (Target target : work.request.targets()) {
            work.shares.add(new Share(new ReplicaKey(work.request.tableId(), target.actor()), target));
        }
        work.open = work.shares.size();
        for (Share share : work.shares) {
            ReadGate gate = gate(share.key);
            Optional<ActorFailure> refusal = refusal(work.request, share, gate);
            if (refusal.isPresent()) {
                share.failure = refusal.get();
                ready(work);
            } else if (gate != null && inDoubt(gate, work.request)) {
                settler.settle(work.request, share.key, settled -> {
                    if (settled instanceof Outcome.Err<Done> err) {
                        share.fail(err.error().code(), err.error().reason());
                    }
                    ready(work);
                });
            } else {
                ready(work);
            }
        }
    }

    private @Nullable ReadGate gate(ReplicaKey key) {
        ReadGate gate = gates.of(key);
        return gate == null ? null : eyes.apply(gate);
    }

    private static boolean inDoubt(ReadGate gate, VersionedRead request) {
        return gate.doubt() != 0 && (request.newest() || gate.doubt() <= request.at());
    }

    private Optional<ActorFailure> refusal(VersionedRead request, Share share, @Nullable ReadGate gate) {
        int actor = share.target.actor();
        if (gate == null) {
            return Optional.of(new ActorFailure(actor, ErrorCode.UNAVAILABLE, "no replica here", 0));
        }
        ReadRequest.Target target = new ReadRequest.Target(actor, share.target.epoch(), 0);
        return request.strict() ? gate.refuseStrict(target) : gate.refuse(target, ReadMode.LINEARIZABLE, clock.nanos());
    }

    private void ready(Work work) {
        if (--work.open == 0) {
            process.post(step(), () -> fix(work));
        }
    }

    private void fix(Work work) {
        work.open = 1;
        for (Share share : work.shares) {
            if (share.failure == null) {
                Optional<SnapshotShelf.Ref<AutoCloseable>> state = host.state(share.key, work.request.at());
                if (state.isPresent() && work.request.strict() && state.get().version() > work.request.at()) {
                    state.get().release();
                    state = Optional.empty();
                }
                if (state.isEmpty()) {
                    boolean gone =
                            !work.request.newest() && host.state(share.key, 0).isPresent();
                    share.fail(gone ? ErrorCode.VERSION_GONE : ErrorCode.UNAVAILABLE, "no such state is here");
                } else {
                    long version = state.get().version();
                    share.at = work.request.newest() ? Math.max(work.known, version) : work.request.at();
                    retrieve(work, share, (Actor) state.get().state());
                    state.get().release();
                }
            }
        }
        retrieved(work);
    }

    private void retrieve(Work work, Share share, Actor state) {
        int actor = share.target.actor();
        if (work.arrived != null && !exchange.scatters(work.request.operator())) {
            share.value = work.arrived.gather(actor, state);
        } else if (exchange.scatters(work.request.operator())) {
            work.open++;
            exchange.scatter(
                    work.request.parameters(), actor, state, work.arrived, work.request.remainingNanos(), outcome -> {
                        if (outcome instanceof Outcome.Ok<Bytes> ok) {
                            share.value = ok.value();
                        } else {
                            UniserveException error = ((Outcome.Err<Bytes>) outcome).error();
                            share.fail(error.code(), error.reason());
                        }
                        retrieved(work);
                    });
        } else {
            share.value = operators.retrieve(work.request.operator(), work.request.parameters(), actor, state);
        }
    }

    private void retrieved(Work work) {
        if (--work.open == 0) {
            process.post(step(), () -> confirm(work));
        }
    }

    private void confirm(Work work) {
        List<VersionedRead.Part> parts = new ArrayList<>();
        List<ActorFailure> failures = new ArrayList<>();
        for (Share share : work.shares) {
            if (share.failure == null) {
                refusal(work.request, share, gate(share.key)).ifPresent(refusal -> share.failure = refusal);
            }
            if (share.failure != null) {
                failures.add(share.failure);
            } else if (share.value != null) {
                if (!work.request.strict()) { // one that is may come late: it is of the moment that was confirmed
                    tap.answered(process.name(), share.key, share.target.epoch(), work.takenNanos);
                }
                parts.add(new VersionedRead.Part(share.target.actor(), share.at, share.value));
            }
        }
        if (work.arrived != null) {
            work.arrived.close();
        }
        List<VersionedRead.Part> told = merged(work.request, parts);
        process.post(step(), () -> work.completion.done(Outcome.ok(new VersionedRead.Reply(told, failures))));
    }

    /** Scans of several actors at one version become one value where the asker takes that, as on a server. */
    private static List<VersionedRead.Part> merged(VersionedRead request, List<VersionedRead.Part> parts) {
        if (!request.merged() || !request.operator().equals(KvOperators.SCAN.id())) {
            return parts;
        }
        TreeMap<Long, List<VersionedRead.Part>> together = new TreeMap<>();
        parts.forEach(part ->
                together.computeIfAbsent(part.at(), at -> new ArrayList<>()).add(part));
        List<VersionedRead.Part> merged = new ArrayList<>();
        together.forEach((at, group) -> {
            List<Document> all = new ArrayList<>();
            group.forEach(part -> all.addAll(KvOperators.SCAN.values().decode(part.value())));
            merged.add(new VersionedRead.Part(
                    group.stream().flatMap(part -> part.actors().stream()).toList(),
                    at,
                    KvOperators.SCAN.values().encode(all)));
        });
        return merged;
    }

    private long step() {
        long base = random.below(STEP_NANOS);
        return weather.strikes(Fault.READ_PAUSED) ? base + random.below(PAUSE_NANOS) : base;
    }

    private static final class Share {
        private final ReplicaKey key;
        private final Target target;
        private long at;
        private @Nullable Bytes value;
        private @Nullable ActorFailure failure;

        private Share(ReplicaKey key, Target target) {
            this.key = key;
            this.target = target;
        }

        private void fail(ErrorCode code, String why) {
            failure = new ActorFailure(target.actor(), code, why, 0);
        }
    }

    private static final class Work {
        private final VersionedRead request;
        private final long takenNanos;
        private final long known;
        private final List<Share> shares = new ArrayList<>();
        private final Completion<VersionedRead.Reply> completion;
        private int open;
        /** Of a gather. */
        private SimExchange.@Nullable Arrived arrived;

        private Work(VersionedRead request, long takenNanos, long known, Completion<VersionedRead.Reply> completion) {
            this.request = request;
            this.takenNanos = takenNanos;
            this.known = known;
            this.completion = completion;
        }
    }
}
