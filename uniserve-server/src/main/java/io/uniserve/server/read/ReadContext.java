package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Clock;
import io.uniserve.server.read.worker.CancellationScope;
import java.util.Optional;

/** Operator context of one actor: deadline and cancellation of its request. For one thread. */
final class ReadContext implements OperatorContext {
    private final int actor;
    private final Clock clock;
    private final long deadlineNanos;
    private final CancellationScope cancellationScope;
    private long reportedNanos = -1;
    private long rowsScanned = -1;
    private Optional<ColocatedActors> colocatedActors = Optional.empty();

    ReadContext(int actor, Clock clock, long deadlineNanos, CancellationScope cancellationScope) {
        this.actor = actor;
        this.clock = clock;
        this.deadlineNanos = deadlineNanos;
        this.cancellationScope = cancellationScope;
    }

    @Override
    public int actor() {
        return actor;
    }

    @Override
    public long remainingNanos() {
        return deadlineNanos - clock.nanos();
    }

    @Override
    public void checkActive() {
        if (cancellationScope.isCancelled()) {
            throw new UniserveException(ErrorCode.CANCELLED, "the query was cancelled, or its caller has disconnected");
        }
        if (remainingNanos() <= 0) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
        }
    }

    @Override
    public QueryCancellation.Watch onCancel(Runnable stop) {
        return cancellationScope.onCancel(stop);
    }

    @Override
    public void reportCost(long nanos) {
        reportedNanos = nanos;
    }

    @Override
    public void reportRowsScanned(long rows) {
        rowsScanned = rows < 0 ? rowsScanned : rows;
    }

    /** Rows that the operator has scanned; -1 if it has reported none. */
    long rowsScanned() {
        return rowsScanned;
    }

    @Override
    public Optional<ActorView> colocatedActor(TableName table) {
        return colocatedActors.flatMap(all -> all.actor(table));
    }

    /** Sets the actors that the operator may read in addition to its own. */
    void setColocatedActors(ColocatedActors actors) {
        colocatedActors = Optional.of(actors);
    }

    /** Cost that the operator has reported, in nanoseconds; negative if it has reported none. */
    long reportedNanos() {
        return reportedNanos;
    }
}
