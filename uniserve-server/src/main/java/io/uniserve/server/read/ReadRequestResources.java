package io.uniserve.server.read;

import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.runtime.port.PortBuildId;
import io.uniserve.runtime.time.CpuClock;
import io.uniserve.server.exchange.GatherInputs;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.worker.CancellationScope;
import io.uniserve.server.read.worker.FairShareKey;
import io.uniserve.server.read.worker.QueryDeadline;
import io.uniserve.server.read.worker.RunningQueryRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Resources of one read request, of newest states or of a version: its operator, result memory, entry in the list of running queries,
 * gather inputs and cancellation. Safe for use by several threads; {@link #close} is called once, after the reply.
 */
final class ReadRequestResources implements Timers.Cancel {
    private final ReadTaskContext service;
    private final FairShareKey share;
    private final long tableId;
    private final String operator;
    private final Bytes parameters;
    private final QueryDeadline deadline;
    private final CancellationScope cancellationScope;
    private final AtomicLong reservedBytes = new AtomicLong();
    private volatile RunningQueryRegistry.@Nullable Entry entry;
    private volatile @Nullable OperatorRun<?, ?, ?> run;
    /** Inputs of a gather, arrived or in transit; null for other operators. */
    private volatile @Nullable GatherInputs gatherInputs;

    ReadRequestResources(
            ReadTaskContext service,
            FairShareKey share,
            long tableId,
            String operator,
            Bytes parameters,
            long remainingNanos) {
        this.service = service;
        this.share = share;
        this.tableId = tableId;
        this.operator = operator;
        this.parameters = parameters;
        this.cancellationScope = service.newCancellationScope();
        this.deadline = service.deadline(remainingNanos, share.client());
    }

    FairShareKey share() {
        return share;
    }

    /** User of the read; empty in mode open, and for a process's own reads. */
    String user() {
        return service.user(share);
    }

    /** Time until the deadline, at least 1 ns. */
    long remainingNanos() {
        return Math.max(1, deadline.nanos() - service.clock().nanos());
    }

    long deadlineNanos() {
        return deadline.nanos();
    }

    CancellationScope cancellationScope() {
        return cancellationScope;
    }

    ReplicaKey key(int actor) {
        return new ReplicaKey(tableId, actor);
    }

    ReadContext context(int actor) {
        return new ReadContext(actor, service.clock(), deadline.nanos(), cancellationScope);
    }

    @Override
    public void cancel() {
        RunningQueryRegistry.Entry shown = entry;
        if (shown != null) {
            shown.markCancelled();
        }
        cancellationScope.cancel();
    }

    void gathers(GatherInputs arrived) {
        gatherInputs = arrived;
    }

    /** Adds the request to the list of running queries, until {@link #close}. */
    void list() {
        entry = service.runningQueries().add(share, operator, deadline, this);
    }

    /** Marks the request as started, when a thread begins to work on it. */
    void markStarted() {
        RunningQueryRegistry.Entry shown = entry;
        if (shown != null) {
            shown.markStarted();
        }
    }

    /** True if the transport's thread may run the operator on this many actors, of which the first is given. */
    boolean brief(int firstActor, int actors) {
        return service.mayRunInline(
                operator,
                parameters,
                key(firstActor),
                actors,
                actor -> operator(actor).mayRunInline());
    }

    /** Nanoseconds of a clock for costs: CPU time, or on the transport's thread wall time, which needs no system call. */
    long costClock(boolean onTransport) {
        return onTransport ? service.clock().nanos() : CpuClock.nanos();
    }

    /** The operator with decoded parameters. All actors share it. */
    OperatorRun<?, ?, ?> operator(PinnedActor actor) {
        OperatorRun<?, ?, ?> known = run;
        if (known == null) {
            known = OperatorRun.of(
                    actor.operator(operator)
                            .orElseThrow(() -> new UniserveException(
                                    ErrorCode.UNKNOWN_OPERATOR, PortBuildId.missingOperatorMessage(operator))),
                    parameters,
                    actor,
                    service.exchange(),
                    user(),
                    gatherInputs,
                    this::checkRows);
            run = known;
        }
        return known;
    }

    /** The operator; null before the first actor has been read. */
    @Nullable
    OperatorRun<?, ?, ?> operator() {
        return run;
    }

    /** Reserves memory for a value until the reply is made, and returns its bytes. */
    long reserve(OperatorRun<?, ?, ?> runs, Object value, boolean alone) {
        int bytes = runs.size(value, alone);
        reserve(bytes);
        reservedBytes.addAndGet(bytes);
        return bytes;
    }

    /** Reserves memory for a merged value in place of that of its parts, and returns its bytes. A failure changes nothing. */
    long replaceReserved(long parts, long mergedBytes) {
        if (mergedBytes > parts) {
            reserve(mergedBytes - parts);
        } else {
            release(parts - mergedBytes);
        }
        reservedBytes.addAndGet(mergedBytes - parts);
        return mergedBytes;
    }

    private void reserve(long bytes) {
        service.userMemory().reserve(share.client(), bytes, reservedBytes.get());
        try {
            service.resultMemory().reserve(bytes);
        } catch (UniserveException e) {
            service.userMemory().release(share.client(), bytes);
            throw e;
        }
    }

    private void release(long bytes) {
        service.resultMemory().release(bytes);
        service.userMemory().release(share.client(), bytes);
    }

    /** Fails if the answer to a whole query has more rows than its user may have. */
    private void checkRows(Answer answer) {
        AnswerRowCheck.check(answer, share.client(), service.userMemory().limits(share.client()));
    }

    ActorFailure failure(int actor, long epoch, UniserveException failure) {
        UniserveException known = fault("operator ", failure);
        RunningQueryRegistry.Entry shown = entry;
        UniserveException error = shown == null ? deadline.toClientError(known) : shown.toClientError(known);
        return new ActorFailure(actor, error.code(), error.reason(), epoch);
    }

    /** Converts an error of the operator to the client's error. */
    UniserveException fault(String what, Throwable error) {
        return service.outOfMemoryPolicy().onFailure(what + PortBuildId.withoutBuild(operator), error);
    }

    /** Releases the memory of all values, once the reply is made. The receiver of the reply counts its bytes. */
    void releaseMemory() {
        release(reservedBytes.getAndSet(0));
    }

    void close() {
        releaseMemory();
        service.release(parameters, share.client());
        RunningQueryRegistry.Entry shown = entry;
        if (shown != null) {
            shown.close();
        }
        GatherInputs used = gatherInputs;
        if (used != null) {
            used.close();
        }
    }
}
