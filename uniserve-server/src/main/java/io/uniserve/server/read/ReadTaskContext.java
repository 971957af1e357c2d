package io.uniserve.server.read;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.session.PinnedActorProvider;
import io.uniserve.server.read.session.SessionSnapshots;
import io.uniserve.server.read.worker.CancellationScope;
import io.uniserve.server.read.worker.FairShareKey;
import io.uniserve.server.read.worker.QueryDeadline;
import io.uniserve.server.read.worker.RunningQueryRegistry;
import io.uniserve.server.read.worker.UserMemoryBudget;
import io.uniserve.server.read.worker.WorkerPool;
import java.util.function.Predicate;

/** Context of read tasks, provided by the read service: clock, actors, gates, workers, memory and limits. Thread-safe. */
interface ReadTaskContext {
    /** Failure for an actor without a gate: the table does not exist, or the actor is on another server. */
    ActorFailure absentFailure(TableName table, long tableId, int actor);

    PinnedActorProvider actors();

    /**
     * True if the first actor's operator promises to be brief with these parameters, and has been so. An error in the request is left
     * for a worker to report.
     *
     * @param promise tests the promise of the operator on the given actor
     */
    boolean mayRunInline(
            String operator, Bytes parameters, ReplicaKey first, int targets, Predicate<PinnedActor> promise);

    OperatorTimeEstimator inlineOperators();

    /** Creates a cancellation scope. It stops a query's work on a thread that no request waits for. */
    CancellationScope newCancellationScope();

    long catchUpNanos();

    Clock clock();

    /** Cost of queries per replica. */
    ReadCostCounter costs();

    /** Deadline of a read of this user. */
    QueryDeadline deadline(long remainingNanos, String user);

    ExchangeHost exchange();

    boolean execute(FairShareKey share, Runnable task);

    OutOfMemoryPolicy outOfMemoryPolicy();

    void release(Bytes parameters, String client);

    GateTable gates();

    SessionSnapshots sessionSnapshots();

    ResultMemoryBudget resultMemory();

    /** User of the work of a share; empty in mode open, and for work without a name. */
    String user(FairShareKey share);

    UserMemoryBudget userMemory();

    WorkerPool pool();

    void refresh(TableName table);

    /** Queries that run now. */
    RunningQueryRegistry runningQueries();

    ReadInDoubtResolver inDoubtResolver();

    Timers timers();

    static UniserveException closing() {
        return new UniserveException(ErrorCode.UNAVAILABLE, "this server is shutting down");
    }

    static UniserveException gone() {
        return new UniserveException(ErrorCode.CANCELLED, "the query was cancelled, or its caller has gone");
    }
}
