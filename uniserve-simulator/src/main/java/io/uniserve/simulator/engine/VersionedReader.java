package io.uniserve.simulator.engine;

import io.uniserve.api.ActorView;
import io.uniserve.api.EngineInstance;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ActorSnapshotReadExecution;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.message.client.VersionedRead.Target;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Twin of a server's worker threads for reads at a version. The steps are: newest known version, gate per actor, resolution of versions in
 * doubt on the loop, choice of the state, second gate with a new reading of the clock. As on real servers, {@link ActorSnapshotReadExecution} makes
 * the decision of each step. Pauses may occur between any two steps.
 */
public final class VersionedReader {
    private static final long STEP_NANOS = 400_000;
    private static final long PAUSE_NANOS = 8_000_000_000L;

    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final SimProcess process;
    private final OperatorRunner operators;
    private final SimEngineHost host;
    private final SimGatePublisher gates;
    private final Clock clock;
    private final InDoubtWaiter settler;
    private final UnaryOperator<ReadGate> gateFilter;
    private final EventQueue queue;
    private final EngineObserver tap;
    private final SimExchange exchange;

    /** Resolution of versions in doubt on the server's loop. */
    @FunctionalInterface
    public interface InDoubtWaiter {
        void resolveInDoubt(VersionedRead request, ReplicaKey key, Completion<InDoubtResolution> completion);
    }

    /** @param eyes function that changes each gate before its use, for planted bugs */
    public VersionedReader(
            Prng random,
            FaultIntensity faultIntensity,
            SimProcess process,
            EngineInstance engine,
            SimEngineHost host,
            SimGatePublisher gates,
            Clock clock,
            InDoubtWaiter settler,
            UnaryOperator<ReadGate> eyes,
            EventQueue queue,
            EngineObserver tap,
            SimExchange exchange) {
        this.exchange = exchange;
        this.queue = queue;
        this.tap = tap;
        this.random = random;
        this.faultIntensity = faultIntensity;
        this.process = process;
        this.operators = new OperatorRunner(engine);
        this.host = host;
        this.gates = gates;
        this.clock = clock;
        this.settler = settler;
        this.gateFilter = eyes;
    }

    /** Serves a request. The answer has every target exactly once, as a value or a failure. */
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
                UniserveException error = outcome.error();
                process.post(step(), () -> completion.done(Outcome.err(error)));
            }
        });
    }

    private void admit(Work work) {
        work.deniedFirst = gates.claimedVersion(work.request.tableId(), clock.nanos());
        for (Target target : work.request.targets()) {
            ActorSnapshotReadExecution rules = new ActorSnapshotReadExecution(work.request, target, work.known);
            work.shares.add(new Share(new ReplicaKey(work.request.tableId(), target.actor()), target, rules));
        }
        work.open = work.shares.size();
        for (Share share : work.shares) {
            ReadGate gate = gate(share.key);
            if (gate == null) {
                share.fail(ErrorCode.UNAVAILABLE, "no replica here");
                ready(work);
            } else if (share.rules.admit(gate, clock.nanos()) == ActorSnapshotReadExecution.Next.RESOLVE) {
                settler.resolveInDoubt(work.request, share.key, settled -> {
                    if (settled instanceof Outcome.Ok<InDoubtResolution> ok) {
                        share.rules.onResolved(ok.value());
                    } else {
                        UniserveException error = settled.error();
                        share.fail(error.code(), error.reason());
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
        return gate == null ? null : gateFilter.apply(gate);
    }

    private void ready(Work work) {
        if (--work.open == 0) {
            process.post(step(), () -> takeStates(work));
        }
    }

    private void takeStates(Work work) {
        work.open = 1;
        for (Share share : work.shares) {
            if (share.rules.failure().isPresent()) {
                continue;
            }
            Optional<VersionedSnapshotCache.Ref<AutoCloseable>> state =
                    host.state(share.key, share.rules.requestedVersion());
            if (state.isPresent()) {
                if (share.rules.onStateTaken(state.get().version())) {
                    retrieve(work, share, (ActorView) state.get().state());
                }
                state.get().release();
            } else if (host.state(share.key, 0).isPresent()) {
                share.rules.failVersionGone();
            } else {
                share.fail(ErrorCode.UNAVAILABLE, "the actor is not open here");
            }
        }
        retrieved(work);
    }

    private void retrieve(Work work, Share share, ActorView state) {
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
                            UniserveException error = outcome.error();
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
            ReadGate gate = gate(share.key);
            if (gate == null) {
                share.fail(ErrorCode.UNAVAILABLE, "no replica here any more");
            }
            Optional<ActorFailure> failure =
                    gate == null ? share.rules.failure() : share.rules.confirm(gate, clock.nanos());
            if (failure.isPresent()) {
                failures.add(failure.get());
            } else if (share.value != null) {
                if (!work.request.strict()) { // a strict read needs no fence: its snapshot is confirmed
                    tap.onAnswered(process.name(), share.key, share.target.epoch(), work.takenNanos);
                }
                parts.add(new VersionedRead.Part(share.target.actor(), share.rules.completeVersion(), share.value));
            }
        }
        if (work.arrived != null) {
            work.arrived.close();
        }
        List<VersionedRead.Part> told = merged(work.request, parts);
        List<ActorSnapshotReadExecution> rules =
                work.shares.stream().map(share -> share.rules).toList();
        List<Long> denials = List.of(work.deniedFirst, gates.claimedVersion(work.request.tableId(), clock.nanos()));
        VersionedRead.Reply reply = ActorSnapshotReadExecution.reply(work.request, rules, told, failures, denials);
        process.post(step(), () -> work.completion.done(Outcome.ok(reply)));
    }

    /** Merges the values of several actors at one version if the request permits that, as servers do. */
    private List<VersionedRead.Part> merged(VersionedRead request, List<VersionedRead.Part> parts) {
        if (!request.acceptsMerged()) {
            return parts;
        }
        TreeMap<Long, List<VersionedRead.Part>> together = new TreeMap<>();
        parts.forEach(part -> together.computeIfAbsent(part.completeVersion(), at -> new ArrayList<>())
                .add(part));
        List<VersionedRead.Part> merged = new ArrayList<>();
        together.forEach((at, group) -> operators
                .merge(
                        request.operator(),
                        request.parameters(),
                        group.stream().map(VersionedRead.Part::value).toList())
                .ifPresentOrElse(
                        value -> merged.add(new VersionedRead.Part(
                                group.stream()
                                        .flatMap(part -> part.actors().stream())
                                        .toList(),
                                at,
                                value)),
                        () -> merged.addAll(group)));
        return merged;
    }

    private long step() {
        long base = random.below(STEP_NANOS);
        return faultIntensity.draw(Fault.READ_PAUSED) ? base + random.below(PAUSE_NANOS) : base;
    }

    private static final class Share {
        private final ReplicaKey key;
        private final Target target;
        private final ActorSnapshotReadExecution rules;
        private @Nullable Bytes value;

        private Share(ReplicaKey key, Target target, ActorSnapshotReadExecution rules) {
            this.key = key;
            this.target = target;
            this.rules = rules;
        }

        private void fail(ErrorCode code, String why) {
            rules.fail(new ActorFailure(target.actor(), code, why, 0));
        }
    }

    private static final class Work {
        private final VersionedRead request;
        private final long takenNanos;
        private final long known;
        private final List<Share> shares = new ArrayList<>();
        private final Completion<VersionedRead.Reply> completion;
        private int open;
        private long deniedFirst;
        /** The chunks of a gather. */
        private SimExchange.@Nullable Arrived arrived;

        private Work(VersionedRead request, long takenNanos, long known, Completion<VersionedRead.Reply> completion) {
            this.request = request;
            this.takenNanos = takenNanos;
            this.known = known;
            this.completion = completion;
        }
    }
}
