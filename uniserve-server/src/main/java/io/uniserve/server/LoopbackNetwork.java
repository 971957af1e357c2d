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
import io.uniserve.runtime.transport.server.PeerHandler;
import org.jspecify.annotations.Nullable;

/**
 * Network that delivers this server's requests to itself in memory, and sends all others over the wire. A transaction manager calls
 * primaries on its own server this way. Use on the loop only.
 */
final class LoopbackNetwork implements Network {
    private final Address self;
    private final Network wire;
    private final EventLoop loop;
    private @Nullable PeerHandler localHandler;

    LoopbackNetwork(Address self, Network wire, EventLoop loop) {
        this.self = self;
        this.wire = wire;
        this.loop = loop;
    }

    /** Sets the handler of this server's requests to itself. Call it before the first request. */
    void setHandler(PeerHandler handler) {
        localHandler = handler;
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        PeerHandler handler = localHandler;
        if (handler == null || !to.equals(self)) {
            wire.call(to, request, timeoutNanos, completion);
            return;
        }
        Once once = new Once(completion);
        once.timeout = loop.after(
                timeoutNanos,
                () -> once.end(Outcome.err(new UniserveException(
                        ErrorCode.DEADLINE_EXCEEDED, "this server did not answer its own request in time"))));
        handler.call(request, outcome -> loop.execute(() -> once.end(outcome)));
    }

    /** Completion that passes on the answer or the time-out, whichever is first. */
    private static final class Once {
        private @Nullable Completion<PeerReply> completion;
        private Timers.Cancel timeout = () -> {};

        private Once(Completion<PeerReply> completion) {
            this.completion = completion;
        }

        private void end(Outcome<PeerReply> outcome) {
            Completion<PeerReply> told = completion;
            if (told != null) {
                completion = null;
                timeout.cancel();
                told.done(outcome);
            }
        }
    }
}
