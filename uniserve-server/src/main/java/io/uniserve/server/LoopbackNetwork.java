package io.uniserve.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.PeerHandler;
import org.jspecify.annotations.Nullable;

/**
 * Requests of this server to itself, as a driver of atomic updates makes to the primaries that are here, spare the way over
 * the wire; all else takes it. For the loop's thread.
 */
final class LoopbackNetwork implements Network {
    private final Address self;
    private final Network wire;
    private final EventLoop loop;
    private @Nullable PeerHandler here;

    LoopbackNetwork(Address self, Network wire, EventLoop loop) {
        this.self = self;
        this.wire = wire;
        this.loop = loop;
    }

    /** From here on this handler answers what the server asks itself. Call before the first request. */
    void answerWith(PeerHandler handler) {
        here = handler;
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        PeerHandler handler = here;
        if (handler == null || !to.equals(self)) {
            wire.call(to, request, timeoutNanos, completion);
            return;
        }
        Once once = new Once(completion);
        once.late = loop.after(
                timeoutNanos,
                () -> once.end(Outcome.err(new UniserveException(
                        ErrorCode.DEADLINE_EXCEEDED, "no answer of this server to itself in time"))));
        handler.call(request, outcome -> loop.execute(() -> once.end(outcome)));
    }

    /** The first of answer and time-out counts. */
    private static final class Once {
        private @Nullable Completion<PeerReply> completion;
        private Timers.Cancel late = () -> {};

        private Once(Completion<PeerReply> completion) {
            this.completion = completion;
        }

        private void end(Outcome<PeerReply> outcome) {
            Completion<PeerReply> told = completion;
            if (told != null) {
                completion = null;
                late.cancel();
                told.done(outcome);
            }
        }
    }
}
