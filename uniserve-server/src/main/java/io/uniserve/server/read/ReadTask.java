package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.transaction.server.ConsistentSnapshotReader;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.session.SessionSnapshot;
import io.uniserve.server.read.session.SharedEngineSnapshot;
import io.uniserve.server.read.worker.FairShareKey;
import io.uniserve.server.read.worker.WorkerPool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One read request. Workers take its targets one after the other. Each target ends once, in its entry of {@code results}, as a value
 * or an {@link ActorFailure}; the worker that ends the last one replies. A target with a gate that is behind waits for a change of
 * the gate, or the end of {@code server.catch-up-wait}, without a thread.
 */
final class ReadTask implements Timers.Cancel {

    private final ReadTaskContext service;
    private final ReadRequest request;
    private final Completion<ReadReply> completion;
    private final ReadRequestResources run;
    private final long catchUpDeadlineNanos;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger openTargets;
    private final AtomicReferenceArray<@Nullable Object> results;
    private final PrefixMerger prefixMerger;
    private final AtomicLong costNanos = new AtomicLong();
    /** Cost that operators have reported, plus one; 0 if none. Each entry is used only by the thread of its target. */
    private final long[] reportedCosts;

    private final long[] rowsScanned;
    /** Memory of values that wait to be merged. Each entry is used only by the thread of its target. */
    private final long[] valueBytes;

    /** In a session: number of the state that each target was read from. */
    private final AtomicLongArray versions;

    /** Latest chunk generation of a gate that has passed; 0 for tables without chunks. */
    private final AtomicLong generation = new AtomicLong();

    private volatile boolean onTransportThread;

    ReadTask(ReadTaskContext service, ReadRequest request, FairShareKey share, Completion<ReadReply> completion) {
        this.service = service;
        this.request = request;
        this.completion = completion;
        this.run = new ReadRequestResources(
                service, share, request.tableId(), request.operator(), request.parameters(), request.remainingNanos());
        long now = service.clock().nanos();
        this.catchUpDeadlineNanos = now + Math.min(request.remainingNanos(), service.catchUpNanos());
        this.openTargets = new AtomicInteger(request.targets().size());
        this.results = new AtomicReferenceArray<>(request.targets().size());
        this.reportedCosts = new long[request.targets().size()];
        this.rowsScanned = new long[request.targets().size()];
        this.valueBytes = new long[request.targets().size()];
        this.prefixMerger = new PrefixMerger(run, results);
        this.versions = new AtomicLongArray(
                request.session().isPresent() ? request.targets().size() : 0);
    }

    /** True if the request may be answered on the transport's thread. */
    boolean mayRunInline() {
        boolean holds =
                request.session().filter(session -> !session.currentOnly()).isPresent();
        return !holds
                && run.brief(request.targets().get(0).actor(), request.targets().size());
    }

    /** Work of one worker: serves targets until none is left. */
    void serveTargets() {
        int first = next.getAndIncrement();
        if (first < request.targets().size()) {
            new WorkSlice(first).run();
        }
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
            results.set(place, failure(request.targets().get(place), error));
        }
        end(results.length());
    }

    /** Serves a {@link #mayRunInline} request on the calling thread of the transport. */
    void serveInline() {
        onTransportThread = true;
        serveTargets();
    }

    private ReplicaKey key(int place) {
        return run.key(request.targets().get(place).actor());
    }

    /** Returns one actor's answer; null if the target waits. */
    private @Nullable Object serve(int place, long now) {
        ReadRequest.Target target = request.targets().get(place);
        ReplicaKey key = key(place);
        try {
            ReadContext context = run.context(target.actor());
            if (run.cancellationScope().isCancelled() || run.deadlineNanos() - now <= 0) {
                context.checkActive();
            }
            if (request.session().isPresent()
                    && (target.version() != 0 || request.operator().equals(ReadRequest.RELEASE))) {
                return readSessionAgain(place, key, request.session().get(), context);
            }
            ReadGate gate = service.gates().get(key);
            Optional<ActorFailure> refusal = gateFailure(gate, target, now);
            if (refusal.isEmpty()) {
                if (gate != null && gate.generation() > 0 && request.mode() != ReadMode.STALE) {
                    generation.accumulateAndGet(gate.generation(), Math::max);
                }
                return answer(place, key, gate, context);
            }
            if (!mayCatchUp(gate, target, refusal.get().code())) {
                return refusal.get();
            }
            awaitGate(place, request.table(), key, gate);
            return null;
        } catch (UniserveException e) {
            return failure(target, e);
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            return failure(target, run.fault("operator ", e));
        }
    }

    private Optional<ActorFailure> gateFailure(@Nullable ReadGate gate, ReadRequest.Target target, long now) {
        if (gate == null) {
            return Optional.of(service.absentFailure(request.table(), request.tableId(), target.actor()));
        }
        return gate.check(target, request.mode(), now);
    }

    /** True if this server lacks an epoch or log index that the caller has seen, and there is time left to wait for it. */
    private boolean mayCatchUp(@Nullable ReadGate gate, ReadRequest.Target target, ErrorCode code) {
        boolean behind = gate == null || target.epoch() > gate.epoch() || code == ErrorCode.BEHIND;
        return behind && service.clock().nanos() - catchUpDeadlineNanos < 0;
    }

    private void awaitGate(int place, TableName table, ReplicaKey key, @Nullable ReadGate seen) {
        service.refresh(table);
        Runnable resume = resumeOnWorker(place);
        Timers.Cancel waiter = service.gates().onChange(key, seen, resume);
        service.timers().after(catchUpDeadlineNanos - service.clock().nanos(), () -> {
            waiter.cancel();
            resume.run();
        });
    }

    /** Returns a task that continues a waiting target, once, on a worker. */
    private Runnable resumeOnWorker(int place) {
        onTransportThread = false;
        AtomicBoolean resumed = new AtomicBoolean();
        return () -> {
            if (resumed.compareAndSet(false, true)
                    && !service.execute(run.share(), () -> new WorkSlice(place, () -> Integer.MAX_VALUE).run())) {
                results.set(place, failure(request.targets().get(place), ReadTaskContext.closing()));
                end(1);
            }
        };
    }

    /** Waits until the actor has published its updates. It does not publish them while it has no readers. */
    private void awaitPublished(int place, PinnedActor actor) {
        Runnable resume = resumeOnWorker(place);
        Timers.Cancel timer =
                service.timers().after(run.deadlineNanos() - service.clock().nanos(), resume);
        actor.publishThen(() -> {
            timer.cancel();
            resume.run();
        });
    }

    /** Later read of a session. It needs no gate: its state was the present one at the session's first read. */
    private Object readSessionAgain(int place, ReplicaKey key, ReadRequest.SessionHold session, ReadContext context) {
        ReadRequest.Target target = request.targets().get(place);
        if (request.operator().equals(ReadRequest.RELEASE)) {
            service.sessionSnapshots().release(run.user(), session, key);
            return Bytes.EMPTY;
        }
        if (session.currentOnly()) {
            return readCurrentStateAgain(place, key, context);
        }
        Optional<SessionSnapshot> held =
                service.sessionSnapshots().find(run.user(), session, key, target.version(), holdUntilNanos(session));
        return held.isEmpty() ? stateLost(target) : read(place, held.get(), context);
    }

    /** Later read of a session that holds no state: the present state must be the one of its first read. */
    private Object readCurrentStateAgain(int place, ReplicaKey key, ReadContext context) {
        ReadRequest.Target target = request.targets().get(place);
        Optional<PinnedActor> pinned = service.actors().pin(key);
        if (pinned.isEmpty()) {
            return stateLost(target);
        }
        try (PinnedActor actor = pinned.get()) {
            if (actor.stateNumber() != target.version()) {
                return stateLost(target);
            }
            Object value = readCurrentState(place, actor, context);
            return versions.get(place) == target.version() ? value : stateLost(target);
        }
    }

    /** Returns the operator's answer from the present state. Records the number of the state if it was the same from start to end. */
    private Object readCurrentState(int place, PinnedActor actor, ReadContext context) {
        if (!(actor.actor() instanceof SnapshotActor)) {
            throw SharedEngineSnapshot.unsupported(); // the same error as for an actor with updates
        }
        long before = actor.stateNumber();
        Object value = call(place, actor, actor.actor(), context);
        versions.set(place, actor.stateNumber() == before ? before : 0);
        return value;
    }

    private static ActorFailure stateLost(ReadRequest.Target target) {
        return new ActorFailure(
                target.actor(),
                ErrorCode.VERSION_GONE,
                "this server no longer has the state that the session reads; open another session",
                target.epoch());
    }

    private long holdUntilNanos(ReadRequest.SessionHold session) {
        return service.clock().nanos() + session.remainingNanos();
    }

    /** Returns the operator's answer from a held state. Releases this read's use of it; the session keeps it. */
    private Object read(int place, SessionSnapshot held, ReadContext context) {
        try {
            versions.set(place, held.version());
            return call(place, held.view().actor(), held.view().view(), context);
        } finally {
            held.release();
        }
    }

    /** Returns the operator's answer; in a session from the state that it holds. */
    private Object read(int place, ReplicaKey key, PinnedActor actor, ReadContext context) {
        if (request.session().isEmpty()) {
            return call(place, actor, actor.actor(), context);
        }
        ReadRequest.SessionHold session = request.session().get();
        if (session.currentOnly()) {
            return readCurrentState(place, actor, context);
        }
        long until = holdUntilNanos(session);
        SessionSnapshot held = service.sessionSnapshots()
                .hold(
                        run.user(),
                        session,
                        key,
                        until,
                        () -> service.actors()
                                .pin(key)
                                .orElseThrow(() -> new UniserveException(
                                        ErrorCode.UNAVAILABLE, "the actor is not open here any more")));
        return read(place, held, context);
    }

    /** Returns the operator's answer from the newest state of an actor with versions. */
    private Object readNewest(int place, PinnedActor actor, ReadContext context) {
        VersionedSnapshotCache.Ref<ActorView> newest = actor.snapshotAt(0)
                .orElseThrow(() -> new UniserveException(ErrorCode.UNAVAILABLE, "the actor has no state to read"));
        try {
            return call(place, actor, newest.state(), context);
        } finally {
            newest.release();
        }
    }

    private @Nullable Object answer(int place, ReplicaKey key, @Nullable ReadGate gate, ReadContext context) {
        ReadRequest.Target target = request.targets().get(place);
        Optional<PinnedActor> pinned = service.actors().pin(key);
        if (pinned.isEmpty() || gate == null) {
            return new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "the actor is not open here", 0);
        }
        try (PinnedActor actor = pinned.get();
                ColocatedActors beside = ColocatedActors.of(service, request, place)) {
            if (actor.isAtomic()) {
                return request.mode() == ReadMode.STALE && request.session().isEmpty()
                        ? readNewest(place, actor, context)
                        : versionRequired(target);
            }
            if (request.mode() == ReadMode.STRICT) {
                return failure(target, ConsistentSnapshotReader.notAtomicError(request.table()));
            }
            boolean anyState =
                    request.mode() == ReadMode.STALE && request.session().isEmpty();
            if (!actor.isPublished() && !anyState) {
                awaitPublished(place, actor);
                return null;
            }
            if (beside.laggingGate().isPresent() && service.clock().nanos() - catchUpDeadlineNanos < 0) {
                ColocatedActors.LaggingGate late = beside.laggingGate().get();
                awaitGate(place, late.table(), late.key(), late.gate());
                return null;
            }
            Optional<PinnedActor> other = beside.unpublished();
            if (other.isPresent()) {
                awaitPublished(place, other.get());
                return null;
            }
            context.setColocatedActors(beside);
            Object value = read(place, key, actor, context);
            ReadGate after = service.gates().get(key);
            if (after == null) {
                return service.absentFailure(request.table(), request.tableId(), target.actor());
            }
            Optional<ActorFailure> refusal = after.checkAfter(
                    gate, target, request.mode(), service.clock().nanos());
            Optional<ActorFailure> moved = refusal.isPresent() ? refusal : beside.failureAfterRead();
            if (moved.isPresent()) {
                return moved.get();
            }
            return value;
        }
    }

    /** Failure for a read of an atomic table without a version: the present states of its actors are not one state of the table. */
    private ActorFailure versionRequired(ReadRequest.Target target) {
        return new ActorFailure(
                target.actor(),
                ErrorCode.UNSUPPORTED,
                "table " + request.table() + " has atomic updates: "
                        + (request.session().isPresent()
                                ? "sessions of it are not supported, each query sees one version of it"
                                : "read it in the default mode, with a client that has its newest map"),
                0);
    }

    private Object call(int place, PinnedActor actor, ActorView seen, ReadContext context) {
        if (request.operator().equals(ReadRequest.HOLD)) {
            return Bytes.EMPTY;
        }
        try {
            return actor.call(request.operator(), () -> {
                OperatorRun<?, ?, ?> runs = run.operator(actor);
                boolean alone = results.length() == 1;
                Object value = runs.retrieve(seen, context, alone);
                valueBytes[place] = run.reserve(runs, value, alone);
                return value;
            });
        } finally {
            reportedCosts[place] = Math.max(-1, Math.min(context.reportedNanos(), Long.MAX_VALUE - 1)) + 1;
            rowsScanned[place] = context.rowsScanned();
        }
    }

    private ActorFailure failure(ReadRequest.Target target, UniserveException failure) {
        return run.failure(target.actor(), target.epoch(), failure);
    }

    private void end(int places) {
        if (places > 0 && openTargets.addAndGet(-places) == 0) {
            finish();
        }
    }

    private void finish() {
        try {
            Outcome<ReadReply> outcome = outcome();
            run.releaseMemory();
            completion.done(outcome);
        } finally {
            run.close();
        }
    }

    private Outcome<ReadReply> outcome() {
        if (run.cancellationScope().isCancelled()) {
            return Outcome.err(ReadTaskContext.gone());
        }
        try {
            return Outcome.ok(withVersions(assemble()));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            return Outcome.err(run.fault("the reply of ", e));
        }
    }

    private ReadReply withVersions(ReadReply reply) {
        if (versions.length() == 0) {
            return reply;
        }
        Map<Integer, Long> byActor = new HashMap<>();
        for (int i = 0; i < versions.length(); i++) {
            byActor.put(request.targets().get(i).actor(), versions.get(i));
        }
        return new ReadReply(
                reply.parts().stream()
                        .map(part -> new ReadReply.Part(
                                part.actors(),
                                part.value(),
                                part.actors().stream()
                                        .map(actor -> byActor.getOrDefault(actor, 0L))
                                        .toList()))
                        .toList(),
                reply.failures(),
                reply.costNanos(),
                reply.generation());
    }

    private ReadReply assemble() {
        if (results.length() == 1 && results.get(0) instanceof Bytes only) {
            List<Integer> actor = List.of(request.targets().get(0).actor());
            return new ReadReply(
                    List.of(new ReadReply.Part(actor, only)), List.of(), costNanos.get(), generation.get());
        }
        return assembleAll();
    }

    private ReadReply assembleAll() {
        List<ReadReply.Part> parts = new ArrayList<>();
        List<ActorFailure> failures = new ArrayList<>();
        List<Integer> actors = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < results.length(); i++) {
            Object result = results.get(i);
            if (result instanceof ActorFailure failure) {
                failures.add(failure);
            } else if (result != null) {
                actors.add(request.targets().get(i).actor());
                values.add(result);
            }
        }
        OperatorRun<?, ?, ?> ran = run.operator();
        if (ran != null && ran.merges() && !values.isEmpty()) {
            merge(ran, actors, values, parts, failures);
        } else {
            ReplySizeLimiter.addBounded(actors, values, parts, failures);
        }
        return new ReadReply(parts, failures, costNanos.get(), generation.get());
    }

    private void merge(
            OperatorRun<?, ?, ?> ran,
            List<Integer> actors,
            List<Object> values,
            List<ReadReply.Part> parts,
            List<ActorFailure> failures) {
        boolean onTransport = onTransportThread;
        long start = run.costClock(onTransport);
        try {
            parts.add(new ReadReply.Part(actors, ran.merge(prefixMerger.withMerged(values))));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            UniserveException error = run.fault("merging of ", e);
            actors.forEach(actor -> failures.add(new ActorFailure(actor, error.code(), error.reason(), 0)));
        } finally {
            costNanos.addAndGet(run.costClock(onTransport) - start);
        }
    }

    /**
     * One thread's part of the request. CPU time is read once before and once after, as reading it costs as much as a small operator.
     * It is divided among the actors in proportion to their elapsed time.
     */
    private final class WorkSlice {
        private final IntSupplier nextTarget;
        private final int first;
        private final boolean onTransport = onTransportThread;
        private final long[] wallNanos = new long[request.targets().size()];
        private int actors;
        private long totalNanos;

        private WorkSlice(int first) {
            this(first, next::getAndIncrement);
        }

        private WorkSlice(int first, IntSupplier more) {
            this.first = first;
            this.nextTarget = more;
        }

        private void run() {
            long cpuStart = run.costClock(onTransport);
            run.markStarted();
            if (onTransport) {
                serveAll();
            } else {
                try (WorkerPool.EngineCall inside =
                        service.pool().enterEngine(run.deadlineNanos(), run.cancellationScope())) {
                    serveAll();
                }
            }
            account(run.costClock(onTransport) - cpuStart);
            end(actors);
        }

        private void serveAll() {
            long start = service.clock().nanos();
            for (int place = first; place < wallNanos.length; place = nextTarget.getAsInt()) {
                Object result = serve(place, start);
                long end = service.clock().nanos();
                if (result != null) {
                    prefixMerger.set(place, result, result instanceof ActorFailure ? 0 : valueBytes[place]);
                    wallNanos[place] = Math.max(1, end - start);
                    totalNanos += wallNanos[place];
                    actors++;
                }
                start = end;
            }
        }

        private void account(long cpuNanos) {
            OperatorRun<?, ?, ?> ran = run.operator();
            if (actors == 0 || ran == null) {
                return;
            }
            costNanos.addAndGet(cpuNanos);
            service.inlineOperators().record(ran.operator(), totalNanos, actors);
            for (int place = 0; place < wallNanos.length; place++) {
                if (wallNanos[place] > 0) {
                    long cpu = (long) ((double) cpuNanos * wallNanos[place] / totalNanos);
                    service.costs()
                            .add(
                                    key(place),
                                    reportedCosts[place] > 0 ? reportedCosts[place] - 1 : cpu,
                                    rowsScanned[place]);
                }
            }
        }
    }
}
