package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.ReadRequest.Target;
import io.uniserve.protocol.reader.ReadGate;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on its way. Workers take its actors one by one; whoever ends the last one replies. An actor's failure is its
 * own; only parameters that cannot be read and an unknown operator fail the whole.
 */
final class ReadRun {
    private static final Logger LOG = LoggerFactory.getLogger(ReadRun.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final ReadService service;
    private final ReadRequest request;
    private final Completion<ReadReply> completion;
    private final long deadlineNanos;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger open;
    private final AtomicLong costNanos = new AtomicLong();
    private final AtomicBoolean replied = new AtomicBoolean();
    private final List<ActorFailure> failures = new ArrayList<>();
    private volatile boolean cancelled;
    private volatile @Nullable Work<?, ?> work;

    ReadRun(ReadService service, ReadRequest request, Completion<ReadReply> completion) {
        this.service = service;
        this.request = request;
        this.completion = completion;
        this.deadlineNanos = service.clock().nanos() + request.remainingNanos();
        this.open = new AtomicInteger(request.targets().size());
    }

    /** The caller has gone or the deadline has passed: operators are told by their context. */
    void cancel() {
        cancelled = true;
    }

    /** Ends the whole request with an error. */
    void refuse(UniserveException error) {
        if (replied.compareAndSet(false, true)) {
            completion.done(Outcome.err(error));
        }
    }

    /** Takes actors until none is left. Run by the first worker and by those that help. */
    void work() {
        int targets = request.targets().size();
        if (next.get() == 0) {
            for (int i = 1; i < Math.min(targets, service.threads()); i++) {
                service.help(this);
            }
        }
        if (targets == 0) {
            reply();
        }
        for (int i = next.getAndIncrement(); i < targets && !replied.get(); i = next.getAndIncrement()) {
            try {
                one(request.targets().get(i));
            } catch (UniserveException e) {
                refuse(e);
            }
            if (open.decrementAndGet() == 0) {
                reply();
            }
        }
    }

    private void one(Target target) {
        ReplicaKey key = new ReplicaKey(request.tableId(), target.actor());
        ReadGate gate = service.gates().find(key);
        Optional<ActorFailure> refused = refused(target, gate);
        if (refused.isPresent()) {
            fail(refused.get());
            return;
        }
        Optional<ReadEngine.Pin> pinned = service.engine().pin(key);
        if (pinned.isEmpty()) {
            fail(new ActorFailure(target.actor(), ErrorCode.UNAVAILABLE, "replica is not open", epoch(gate)));
            return;
        }
        ReadEngine.Pin pin = pinned.get();
        try {
            run(workOn(pin.port()), target, key, gate, pin.actor());
        } finally {
            pin.release();
        }
    }

    private Optional<ActorFailure> refused(Target target, @Nullable ReadGate gate) {
        if (cancelled || service.clock().nanos() - deadlineNanos >= 0) {
            ErrorCode code = cancelled ? ErrorCode.CANCELLED : ErrorCode.DEADLINE_EXCEEDED;
            return Optional.of(new ActorFailure(target.actor(), code, "the query ended before its turn", 0));
        }
        if (gate == null) {
            return Optional.of(
                    new ActorFailure(target.actor(), ErrorCode.STALE_EPOCH, "no replica of the actor here", 0));
        }
        Optional<ActorFailure> refused =
                gate.refuse(target, request.mode(), service.clock().nanos());
        if (refused.isPresent() && target.epoch() > gate.epoch()) {
            service.sawNewerEpoch(request.table());
        }
        return refused;
    }

    private <P, V> void run(Work<P, V> job, Target target, ReplicaKey key, @Nullable ReadGate gate, Actor actor) {
        if (!job.operator.actorType().isInstance(actor)) {
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    job.operator.id() + " cannot read a " + actor.getClass().getName());
        }
        long before = THREADS.getCurrentThreadCpuTime();
        try {
            V value = job.operator.retrieve(
                    actor, new ReadContext(this, target.actor(), deadlineNanos, service.clock()), job.parameters);
            Optional<ActorFailure> late = gate == null ? Optional.empty() : refusedAfter(target, key, gate);
            if (late.isPresent()) {
                fail(late.get());
            } else {
                job.accept(target.actor(), value);
            }
        } catch (UniserveException e) {
            fail(new ActorFailure(target.actor(), e.code(), e.reason(), epoch(gate)));
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            LOG.warn("operator {} failed on {}/{}", job.operator.id(), request.table(), target.actor(), e);
            fail(new ActorFailure(
                    target.actor(), ErrorCode.PORT_FAILED, job.operator.id() + " failed: " + e, epoch(gate)));
        } finally {
            long cost = THREADS.getCurrentThreadCpuTime() - before;
            costNanos.addAndGet(cost);
            service.load().add(key, cost);
        }
    }

    /** The last check: the gate as it is now and a fresh reading of the clock. A pause after it is harmless. */
    private Optional<ActorFailure> refusedAfter(Target target, ReplicaKey key, ReadGate first) {
        ReadGate now = service.gates().find(key);
        if (now == null) {
            return Optional.of(new ActorFailure(
                    target.actor(), ErrorCode.STALE_EPOCH, "the replica left this server during the query", 0));
        }
        return now.refuseAfter(first, target, request.mode(), service.clock().nanos());
    }

    private Work<?, ?> workOn(String port) {
        Work<?, ?> known = work;
        if (known == null) {
            synchronized (this) {
                known = work;
                if (known == null) {
                    known = Work.of(operator(port), request);
                    work = known;
                }
            }
        }
        return known;
    }

    private RetrieveOperator<?, ?, ?> operator(String port) {
        return service.engine()
                .operator(port, request.operator())
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNKNOWN_OPERATOR,
                        "port " + port + " has no retrieve operator " + request.operator()
                                + "; check name and version"));
    }

    private static long epoch(@Nullable ReadGate gate) {
        return gate == null ? 0 : gate.epoch();
    }

    private void fail(ActorFailure failure) {
        synchronized (failures) {
            failures.add(failure);
        }
    }

    /** Throws when the query has ended. */
    void checkActive() {
        if (cancelled) {
            throw new UniserveException(ErrorCode.CANCELLED, "the query was cancelled");
        }
        if (service.clock().nanos() - deadlineNanos >= 0) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
        }
    }

    private void reply() {
        if (!replied.compareAndSet(false, true)) {
            return;
        }
        try {
            List<ActorFailure> failed = new ArrayList<>(failures);
            Work<?, ?> done = work;
            List<ReadReply.Part> parts = done == null ? List.of() : done.parts(failed);
            completion.done(Outcome.ok(new ReadReply(parts, failed, costNanos.get())));
        } catch (UniserveException e) {
            completion.done(Outcome.err(e));
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            LOG.warn("operator {} could not merge or write its values", request.operator(), e);
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.PORT_FAILED, request.operator() + " could not merge or write its values: " + e, e)));
        }
    }
}
