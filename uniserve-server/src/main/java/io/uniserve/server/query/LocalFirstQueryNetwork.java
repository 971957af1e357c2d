package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Network of one plan; all answers arrive on its serial executor. Reads of this server's actors go straight to its read service, and
 * run on the planner's own thread if it is free. All other requests go through the network.
 */
final class LocalFirstQueryNetwork implements ClientNetwork, SnapshotReadClient, ConsistentSnapshotClient {
    private final PlannerTransport local;
    private final GrpcClientNetwork remote;
    private final Timers timers;
    private final Executor serial;
    private final CallerThreadExecutor planner;

    /** {@code remote} may answer on any thread. */
    LocalFirstQueryNetwork(
            PlannerTransport here,
            GrpcClientNetwork remote,
            Timers timers,
            Executor serial,
            CallerThreadExecutor planner) {
        this.local = here;
        this.remote = remote;
        this.timers = timers;
        this.serial = serial;
        this.planner = planner;
    }

    /** Address of this server. */
    Address self() {
        return local.self();
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        return to.equals(local.self())
                ? readLocal(once -> readLocal(request, once), completion)
                : remote.read(to, request, onSerial(completion));
    }

    private Timers.Cancel readLocal(ReadRequest request, Completion<ReadReply> once) {
        return planner.isFree()
                ? local.reads().read(request, once, planner)
                : local.reads().read(request, once);
    }

    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return to.equals(local.self())
                ? readLocal(once -> readLocal(request, once), completion)
                : remote.read(to, request, onSerial(completion));
    }

    private Timers.Cancel readLocal(VersionedRead request, Completion<VersionedRead.Reply> once) {
        return planner.isFree()
                ? local.reads().read(request, once, planner)
                : local.reads().read(request, once);
    }

    private <M> Completion<M> onSerial(Completion<M> completion) {
        return outcome -> serial.execute(() -> completion.done(outcome));
    }

    private <M> Timers.Cancel readLocal(Function<Completion<M>, Timers.Cancel> read, Completion<M> completion) {
        AtomicBoolean done = new AtomicBoolean();
        Completion<M> once = outcome -> {
            if (done.compareAndSet(false, true)) {
                serial.execute(() -> completion.done(outcome));
            }
        };
        Timers.Cancel work;
        try {
            work = read.apply(once);
        } catch (UniserveException e) {
            once.done(Outcome.err(e));
            return () -> {};
        }
        return () -> {
            work.cancel();
            once.done(Outcome.err(new UniserveException(ErrorCode.CANCELLED, "the caller has cancelled the request")));
        };
    }

    /** Takes the snapshot on this server, as any server can do. */
    @Override
    public void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        Timers.Cancel[] work = {() -> {}};
        Timers.Cancel late = timers.after(timeoutNanos, () -> work[0].cancel());
        work[0] = this.<ConsistentSnapshot>readLocal(
                once -> {
                    local.cuts().takeSnapshot(tables, once);
                    return () -> {};
                },
                outcome -> {
                    late.cancel();
                    completion.done(outcome);
                });
    }

    @Override
    public boolean isSingleServer() {
        return true;
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        requestConsistentCut(to, List.of(table), timeoutNanos, completion);
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        remote.update(to, request, timeoutNanos, onSerial(completion));
    }
}
