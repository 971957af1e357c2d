package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.Cut;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.tx.CutNetwork;
import io.uniserve.protocol.tx.VersionedNetwork;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.CutHandler;
import io.uniserve.runtime.transport.GrpcClientNetwork;
import io.uniserve.runtime.transport.ReadHandler;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Reads of this very server go straight to its read service; everything else goes through the network. */
final class LocalFirstNetwork implements ClientNetwork, VersionedNetwork, CutNetwork {
    private final Address self;
    private final ReadHandler local;
    private final CutHandler cuts;
    private final GrpcClientNetwork remote;
    private final EventLoop loop;

    LocalFirstNetwork(Address self, ReadHandler local, CutHandler cuts, GrpcClientNetwork remote, EventLoop loop) {
        this.self = self;
        this.local = local;
        this.cuts = cuts;
        this.remote = remote;
        this.loop = loop;
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        return to.equals(self)
                ? readHere(once -> local.read(request, once), completion)
                : remote.read(to, request, completion);
    }

    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return to.equals(self)
                ? readHere(once -> local.read(request, once), completion)
                : remote.read(to, request, completion);
    }

    private <M> Timers.Cancel readHere(Function<Completion<M>, Timers.Cancel> read, Completion<M> completion) {
        AtomicBoolean done = new AtomicBoolean();
        Completion<M> once = outcome -> {
            if (done.compareAndSet(false, true)) {
                loop.execute(() -> completion.done(outcome));
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
            once.done(Outcome.err(
                    new UniserveException(ErrorCode.CANCELLED, "the caller has no more use for the answer")));
        };
    }

    /** Any server knows as much as another, so it is this one. */
    @Override
    public void cut(Address to, List<TableName> tables, long timeoutNanos, Completion<Cut> completion) {
        Timers.Cancel[] work = {() -> {}};
        Timers.Cancel late = loop.after(timeoutNanos, () -> work[0].cancel());
        work[0] = this.<Cut>readHere(
                once -> {
                    cuts.cut(tables, once);
                    return () -> {};
                },
                outcome -> {
                    late.cancel();
                    completion.done(outcome);
                });
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        remote.update(to, request, timeoutNanos, completion);
    }
}
