package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.ActorSnapshotReadExecution;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.worker.FairShareKey;
import io.uniserve.server.read.worker.WorkerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One request for one version of a table (docs/protocol.md, section 4). It first takes the newest committed version that this server
 * knows. Then it checks each actor's gate and resolves versions in doubt on the loop, without a thread. Then workers take the state
 * of each actor, run the operator on it and check the gate again with a new reading of the clock. {@link ActorSnapshotReadExecution} decides
 * at each step.
 */
final class VersionedReadTask implements Timers.Cancel {
    private final ReadTaskContext service;
    private final VersionedRead request;
    private final Completion<VersionedRead.Reply> completion;
    /** One per target; used by one thread at a time. */
    private final List<ActorSnapshotReadExecution> actorReads = new ArrayList<>();

    /** Version for which this server's transaction manager claimed "not visible" when the request arrived. */
    private final long initialUncommittedVersion;

    private final ReadRequestResources run;
    private final AtomicInteger inDoubtCount = new AtomicInteger(1);
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger openTargets;
    /** An {@link ActorValue} or an {@link ActorFailure} per target. */
    private final AtomicReferenceArray<@Nullable Object> results;

    /** Value of an actor; bytes if it will not be merged. */
    private record ActorValue(int actor, long version, Object value) {}

    VersionedReadTask(
            ReadTaskContext service,
            VersionedRead request,
            FairShareKey share,
            Completion<VersionedRead.Reply> completion) {
        this.service = service;
        this.request = request;
        this.completion = completion;
        this.run = new ReadRequestResources(
                service, share, request.tableId(), request.operator(), request.parameters(), request.remainingNanos());
        long known = service.gates().committedVersion(request.tableId());
        request.targets().forEach(target -> actorReads.add(new ActorSnapshotReadExecution(request, target, known)));
        this.initialUncommittedVersion = request.acceptsOpenVersions() ? uncommittedVersion() : 0;
        this.openTargets = new AtomicInteger(request.targets().size());
        this.results = new AtomicReferenceArray<>(request.targets().size());
    }

    @Override
    public void cancel() {
        run.cancel();
    }

    ReadRequestResources run() {
        return run;
    }

    /** Ends all targets with this error. */
    void failAll(UniserveException error) {
        for (int place = 0; place < results.length(); place++) {
            results.set(place, failure(place, error));
        }
        finish();
    }

    /**
     * Checks the gates, resolves versions in doubt, and continues, at once if there are none.
     *
     * @param first executor of the work in that case; after a version in doubt a worker continues
     */
    void admit(Predicate<Runnable> first) {
        for (int i = 0; i < results.length(); i++) {
            int place = i;
            ReadGate gate = gate(place);
            if (gate == null) {
                results.set(place, absentFailure(place));
                continue;
            }
            ActorSnapshotReadExecution share = actorReads.get(place);
            switch (share.admit(gate, service.clock().nanos())) {
                case NONE -> results.set(place, share.failure().orElseThrow());
                case RESOLVE -> resolveInDoubt(place, share);
                case TAKE -> {
                    // a worker serves this target
                }
            }
        }
        if (inDoubtCount.decrementAndGet() == 0) {
            if (run.brief(request.targets().get(0).actor(), results.length())) {
                serveTargets(true);
            } else {
                dispatch(first);
            }
        }
    }

    private void resolveInDoubt(int place, ActorSnapshotReadExecution share) {
        inDoubtCount.incrementAndGet();
        service.inDoubtResolver()
                .resolve(request.table(), key(place), request.version(), request.acceptsOpenVersions(), settled -> {
                    if (settled instanceof Outcome.Ok<InDoubtResolution> ok) {
                        share.onResolved(ok.value());
                    } else {
                        results.set(place, failure(place, settled.error()));
                    }
                    if (inDoubtCount.decrementAndGet() == 0) {
                        dispatch(work -> service.execute(run.share(), work));
                    }
                });
    }

    private void dispatch(Predicate<Runnable> first) {
        run.list();
        // Helpers only if threads are idle: under load each request stays with one thread.
        int helpers = Math.min(results.length() - 1, service.pool().idleThreads() - 1);
        if (!first.test(() -> serveTargets(false))) {
            end(Outcome.err(ReadTaskContext.closing()));
            return;
        }
        for (int i = 0; i < helpers; i++) {
            service.execute(run.share(), () -> serveTargets(false));
        }
    }

    private ReplicaKey key(int place) {
        return run.key(request.targets().get(place).actor());
    }

    /** Gate of the target, null if the actor is not here. If the request has a newer epoch, starts another read of the map. */
    private @Nullable ReadGate gate(int place) {
        ReadGate gate = service.gates().get(key(place));
        if (gate == null || request.targets().get(place).epoch() > gate.epoch()) {
            service.refresh(request.table());
        }
        return gate;
    }

    private ActorFailure absentFailure(int place) {
        return service.absentFailure(
                request.table(), request.tableId(), request.targets().get(place).actor());
    }

    /** Serves targets until none is left. The worker that ends the last one replies. */
    private void serveTargets(boolean onTransport) {
        int first = next.getAndIncrement();
        if (first >= results.length()) {
            return;
        }
        if (onTransport) {
            serve(first, true);
        } else {
            try (WorkerPool.EngineCall inside =
                    service.pool().enterEngine(run.deadlineNanos(), run.cancellationScope())) {
                serve(first, false);
            }
        }
    }

    /** Serves targets. CPU time is read once before and once after, and divided equally among the actors. */
    private void serve(int first, boolean onTransport) {
        run.markStarted();
        long cpuStart = run.costClock(onTransport);
        long start = service.clock().nanos();
        List<Integer> ran = new ArrayList<>();
        int ended = 0;
        for (int place = first; place < results.length(); place = next.getAndIncrement()) {
            if (results.get(place) == null) {
                results.set(place, answer(place));
                ran.add(place);
            }
            ended++;
        }
        OperatorRun<?, ?, ?> known = run.operator();
        if (known != null && !ran.isEmpty()) {
            service.inlineOperators().record(known.operator(), service.clock().nanos() - start, ran.size());
            long cpu = run.costClock(onTransport) - cpuStart;
            ran.forEach(place -> service.costs().add(key(place), cpu / ran.size()));
        }
        if (openTargets.addAndGet(-ended) == 0) {
            finish();
        }
    }

    private Object answer(int place) {
        VersionedRead.Target target = request.targets().get(place);
        try {
            ReadContext context = run.context(target.actor());
            context.checkActive();
            Optional<PinnedActor> pinned = service.actors().pin(key(place));
            if (pinned.isEmpty()) {
                return new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "the actor is not open here", 0);
            }
            try (PinnedActor actor = pinned.get()) {
                Object answer = read(target, actorReads.get(place), actor, context);
                ReadGate gate = gate(place);
                if (gate == null) {
                    return absentFailure(place);
                }
                Optional<ActorFailure> refusal =
                        actorReads.get(place).confirm(gate, service.clock().nanos());
                return refusal.isPresent() ? refusal.get() : answer;
            }
        } catch (UniserveException e) {
            return failure(place, e);
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            return failure(place, run.fault("operator ", e));
        }
    }

    private Object read(
            VersionedRead.Target target, ActorSnapshotReadExecution share, PinnedActor actor, ReadContext context) {
        if (!actor.isAtomic()) {
            share.fail(new ActorFailure(
                    target.actor(),
                    ErrorCode.UNSUPPORTED,
                    "table " + request.table() + " is eventual: its actors have no versions",
                    0));
            return share.failure().orElseThrow();
        }
        Optional<VersionedSnapshotCache.Ref<ActorView>> taken = actor.snapshotAt(share.requestedVersion());
        if (taken.isEmpty()) {
            share.failVersionGone();
            return share.failure().orElseThrow();
        }
        VersionedSnapshotCache.Ref<ActorView> state = taken.get();
        try {
            if (!share.onStateTaken(state.version())) {
                return share.failure().orElseThrow();
            }
            Object value = actor.call(request.operator(), () -> {
                OperatorRun<?, ?, ?> runs = run.operator(actor);
                Object read = runs.retrieve(state.state(), context, returnsSeparately());
                run.reserve(runs, read, returnsSeparately());
                return read;
            });
            return new ActorValue(target.actor(), share.completeVersion(), value);
        } finally {
            state.release();
        }
    }

    /** True if no values will be merged. */
    private boolean returnsSeparately() {
        return !request.acceptsMerged() || results.length() == 1;
    }

    private ActorFailure failure(int place, UniserveException failure) {
        VersionedRead.Target target = request.targets().get(place);
        return run.failure(target.actor(), target.epoch(), failure);
    }

    private void finish() {
        if (run.cancellationScope().isCancelled()) {
            end(Outcome.err(ReadTaskContext.gone()));
            return;
        }
        Outcome<VersionedRead.Reply> outcome;
        try {
            outcome = Outcome.ok(assemble());
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            outcome = Outcome.err(run.fault("the reply of ", e));
        }
        end(outcome);
    }

    private VersionedRead.Reply assemble() {
        List<ActorFailure> failures = new ArrayList<>();
        List<ActorValue> answers = new ArrayList<>();
        for (int i = 0; i < results.length(); i++) {
            Object result = results.get(i);
            if (result instanceof ActorValue answer) {
                answers.add(answer);
            } else if (result instanceof ActorFailure failure) {
                failures.add(failure);
            }
        }
        List<VersionedRead.Part> parts = new ArrayList<>();
        long bytes = 0;
        for (VersionedRead.Part part : parts(answers, failures)) {
            if (bytes + part.value().size() <= Limits.RESULT_BYTES_PER_REPLY_MAX) {
                bytes += part.value().size();
                parts.add(part);
            } else {
                part.actors().forEach(actor -> failures.add(tooLargeFailure(actor)));
            }
        }
        return reply(parts, failures);
    }

    private long uncommittedVersion() {
        return service.gates()
                .uncommittedVersion(request.tableId(), service.clock().nanos());
    }

    private VersionedRead.Reply reply(List<VersionedRead.Part> parts, List<ActorFailure> failures) {
        return ActorSnapshotReadExecution.reply(
                request, actorReads, parts, failures, List.of(initialUncommittedVersion, uncommittedVersion()));
    }

    private static ActorFailure tooLargeFailure(int actor) {
        String why = "the reply is full: " + Limits.RESULT_BYTES_PER_REPLY_MAX + " bytes";
        return new ActorFailure(actor, ErrorCode.RESOURCE_EXHAUSTED, why, 0);
    }

    /** Merges values that are complete up to the same version. In most cases all are. */
    private List<VersionedRead.Part> parts(List<ActorValue> answers, List<ActorFailure> failures) {
        List<VersionedRead.Part> parts = new ArrayList<>();
        OperatorRun<?, ?, ?> ran = run.operator();
        if (ran == null || !ran.merges() || returnsSeparately()) {
            answers.forEach(answer ->
                    parts.add(new VersionedRead.Part(answer.actor(), answer.version(), (Bytes) answer.value())));
            return parts;
        }
        TreeMap<Long, List<ActorValue>> together = new TreeMap<>();
        answers.forEach(answer -> together.computeIfAbsent(answer.version(), at -> new ArrayList<>())
                .add(answer));
        together.values().forEach(group -> merge(ran, group, parts, failures));
        return parts;
    }

    private void merge(
            OperatorRun<?, ?, ?> ran,
            List<ActorValue> group,
            List<VersionedRead.Part> parts,
            List<ActorFailure> failures) {
        List<Integer> actors = group.stream().map(ActorValue::actor).toList();
        try {
            Bytes value = ran.merge(group.stream().map(ActorValue::value).toList());
            parts.add(new VersionedRead.Part(actors, group.get(0).version(), value));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            UniserveException error = run.fault("merging of ", e);
            if (error.code() == ErrorCode.TOO_LARGE && group.size() > 1) {
                addSeparately(ran, group, parts, failures);
            } else {
                actors.forEach(actor -> failures.add(new ActorFailure(actor, error.code(), error.reason(), 0)));
            }
        }
    }

    /**
     * Returns values one by one if their merged value is too large for a reply. The client requests those that do not fit separately.
     */
    private void addSeparately(
            OperatorRun<?, ?, ?> ran,
            List<ActorValue> group,
            List<VersionedRead.Part> parts,
            List<ActorFailure> failures) {
        long bytes = 0;
        for (ActorValue answer : group) {
            if (bytes > Limits.RESULT_BYTES_PER_REPLY_MAX) {
                failures.add(tooLargeFailure(answer.actor()));
                continue;
            }
            int before = parts.size();
            merge(ran, List.of(answer), parts, failures);
            bytes += parts.size() > before ? parts.get(before).value().size() : 0;
        }
    }

    private void end(Outcome<VersionedRead.Reply> outcome) {
        try {
            run.releaseMemory();
            completion.done(outcome);
        } finally {
            run.close();
        }
    }
}
