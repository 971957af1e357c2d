package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.ReadHandler;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reads of this very server go straight to its read service; everything else goes through the network. */
final class LocalFirstNetwork implements ClientNetwork {
    private final Address self;
    private final ReadHandler local;
    private final ClientNetwork remote;
    private final EventLoop loop;

    LocalFirstNetwork(Address self, ReadHandler local, ClientNetwork remote, EventLoop loop) {
        this.self = self;
        this.local = local;
        this.remote = remote;
        this.loop = loop;
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        return to.equals(self) ? readHere(request, completion) : remote.read(to, request, completion);
    }

    private Timers.Cancel readHere(ReadRequest request, Completion<ReadReply> completion) {
        AtomicBoolean done = new AtomicBoolean();
        Completion<ReadReply> once = outcome -> {
            if (done.compareAndSet(false, true)) {
                loop.execute(() -> completion.done(outcome));
            }
        };
        Timers.Cancel work;
        try {
            work = local.read(request, once);
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

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        remote.update(to, request, timeoutNanos, completion);
    }
}
