package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.runtime.time.CpuClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One request. Workers take its targets one after the other; each target ends in exactly one place of {@code results}, as a
 * value or an {@link ActorFailure}, and whoever ends the last one replies. A target whose gate is behind is put aside until
 * the gate changes or its patience ends, without holding a thread.
 */
final class ReadTask implements Timers.Cancel {
    private final ReadService service;
    private final ReadRequest request;
    private final Completion<ReadReply> completion;
    private final long deadlineNanos;
    private final long patienceNanos;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger open;
    private final AtomicReferenceArray<@Nullable Object> results;
    private final AtomicLong costNanos = new AtomicLong();
    private final AtomicLong reservedBytes = new AtomicLong();
    private volatile @Nullable OperatorRun<?, ?, ?> run;
    private volatile boolean cancelled;

    ReadTask(ReadService service, ReadRequest request, Completion<ReadReply> completion) {
        this.service = service;
        this.request = request;
        this.completion = completion;
        long now = service.clock().nanos();
        this.deadlineNanos = now + request.remainingNanos();
        this.patienceNanos = now + Math.min(request.remainingNanos(), service.catchUpNanos());
        this.open = new AtomicInteger(request.targets().size());
        this.results = new AtomicReferenceArray<>(request.targets().size());
    }

    /** What a worker does: takes targets until none is left. */
    void work() {
        int targets = request.targets().size();
        for (int i = next.getAndIncrement(); i < targets; i = next.getAndIncrement()) {
            serve(i);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    private ReplicaKey key(int place) {
        return new ReplicaKey(request.tableId(), request.targets().get(place).actor());
    }

    private void serve(int place) {
        ReadRequest.Target target = request.targets().get(place);
        ReplicaKey key = key(place);
        Object result;
        try {
            ReadContext context = new ReadContext(target.actor(), service.clock(), deadlineNanos, () -> cancelled);
            context.checkActive();
            ReadGate gate = service.gates().get(key);
            Optional<ActorFailure> refusal = refusal(gate, target);
            if (refusal.isPresent()) {
                if (mayCatchUp(gate, target, refusal.get().code())) {
                    await(place, key, gate);
                    return;
                }
                result = refusal.get();
            } else {
                result = answer(key, target, gate, context);
            }
        } catch (UniserveException e) {
            result = failure(target, e);
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            result = failure(target, PortErrors.of("operator " + request.operator(), e));
        }
        end(place, result);
    }

    private Optional<ActorFailure> refusal(@Nullable ReadGate gate, ReadRequest.Target target) {
        if (gate == null) {
            return Optional.of(service.absent(request, target.actor()));
        }
        return gate.refuse(target, request.mode(), service.clock().nanos());
    }

    /** True when this server only has not heard of, or not applied yet, what the caller knows. */
    private boolean mayCatchUp(@Nullable ReadGate gate, ReadRequest.Target target, ErrorCode code) {
        boolean behind = gate == null || target.epoch() > gate.epoch() || code == ErrorCode.BEHIND;
        return behind && service.clock().nanos() - patienceNanos < 0;
    }

    private void await(int place, ReplicaKey key, @Nullable ReadGate seen) {
        service.refresh(request.table());
        AtomicBoolean resumed = new AtomicBoolean();
        Runnable resume = () -> {
            if (resumed.compareAndSet(false, true) && !service.execute(() -> serve(place))) {
                end(place, failure(request.targets().get(place), ReadService.closing()));
            }
        };
        Timers.Cancel waiter = service.gates().onChange(key, seen, resume);
        service.timers().after(patienceNanos - service.clock().nanos(), () -> {
            waiter.cancel();
            resume.run();
        });
    }

    private Object answer(ReplicaKey key, ReadRequest.Target target, @Nullable ReadGate gate, ReadContext context) {
        Optional<PinnedActor> pinned = service.actors().pin(key);
        if (pinned.isEmpty() || gate == null) {
            return new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "the actor is not open here", 0);
        }
        try (PinnedActor actor = pinned.get()) {
            Object value = call(key, actor, context);
            ReadGate after = service.gates().get(key);
            if (after == null) {
                return service.absent(request, target.actor());
            }
            Optional<ActorFailure> refusal = after.refuseAfter(
                    gate, target, request.mode(), service.clock().nanos());
            if (refusal.isPresent()) {
                return refusal.get();
            }
            return value;
        }
    }

    private Object call(ReplicaKey key, PinnedActor actor, ReadContext context) {
        long start = CpuClock.nanos();
        try (WorkerPool.Call inside = service.pool().enter(deadlineNanos)) {
            return actor.call(request.operator(), () -> {
                OperatorRun<?, ?, ?> runs = run(actor);
                return reserve(runs, runs.retrieve(actor.actor(), context));
            });
        } finally {
            long cost = CpuClock.nanos() - start;
            costNanos.addAndGet(cost);
            service.costs().add(key, cost);
        }
    }

    private OperatorRun<?, ?, ?> run(PinnedActor actor) {
        OperatorRun<?, ?, ?> known = run;
        if (known == null) {
            known = OperatorRun.of(
                    actor.operator(request.operator())
                            .orElseThrow(() -> new UniserveException(
                                    ErrorCode.UNKNOWN_OPERATOR,
                                    "this server's port has no operator \"" + request.operator()
                                            + "\"; compare the versions of client and port")),
                    request.parameters(),
                    actor);
            run = known;
        }
        return known;
    }

    /** Takes room for a value until the reply is made; one that is to be merged with no other is encoded at once. */
    private Object reserve(OperatorRun<?, ?, ?> runs, Object value) {
        if (!runs.merges() || request.targets().size() > 1) {
            int bytes = runs.size(value);
            service.memory().reserve(bytes);
            reservedBytes.addAndGet(bytes);
        }
        return value;
    }

    private ActorFailure failure(ReadRequest.Target target, UniserveException error) {
        UniserveException told = PortErrors.of("operator " + request.operator(), error);
        return new ActorFailure(target.actor(), told.code(), told.reason(), target.epoch());
    }

    private void end(int place, Object result) {
        results.set(place, result);
        if (open.decrementAndGet() == 0) {
            finish();
        }
    }

    private void finish() {
        try {
            completion.done(cancelled ? Outcome.err(ReadService.gone()) : Outcome.ok(assemble()));
        } finally {
            service.memory().release(reservedBytes.get());
            service.finished();
        }
    }

    private ReadReply assemble() {
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
        OperatorRun<?, ?, ?> ran = run;
        if (ran != null && ran.merges() && !values.isEmpty()) {
            merge(ran, actors, values, parts, failures);
        } else {
            ReplyParts.bounded(actors, values, parts, failures);
        }
        return new ReadReply(parts, failures, costNanos.get());
    }

    private void merge(
            OperatorRun<?, ?, ?> ran,
            List<Integer> actors,
            List<Object> values,
            List<ReadReply.Part> parts,
            List<ActorFailure> failures) {
        long start = CpuClock.nanos();
        try {
            parts.add(new ReadReply.Part(actors, ran.merge(values)));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            UniserveException error = PortErrors.of("merging of " + request.operator(), e);
            actors.forEach(actor -> failures.add(new ActorFailure(actor, error.code(), error.reason(), 0)));
        } finally {
            costNanos.addAndGet(CpuClock.nanos() - start);
        }
    }
}
