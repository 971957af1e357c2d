package io.uniserve.runtime.transport;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.proto.ErrorMapping;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.PeerReplyMapping;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Brief requests of one loop to another daemon, on one long call: an atomic update makes dozens of them, each of which costs less than a
 * call of its own would ({@link ReadStream} does the same for reads). When the call ends, all requests on it fail. For the loop's
 * thread, which runs the completions too; the transport's thread only maps answers.
 */
final class PeerStream extends ClientCall.Listener<PeerProto.PeerAnswer> {
    private final Address to;
    private final EventLoop loop;
    private final ClientCall<PeerProto.PeerCall, PeerProto.PeerAnswer> call;
    private final Sent sent;
    private final Map<Long, Pending> pending = new HashMap<>();
    private long lastId;
    private boolean ended;

    private record Pending(Completion<PeerReply> completion, Timers.Cancel late) {}

    private PeerStream(Address to, EventLoop loop, Channel channel) {
        this.to = to;
        this.loop = loop;
        this.sent = new Sent();
        this.call = channel.newCall(PeerGrpc.getCallsMethod(), CallOptions.DEFAULT.withStreamTracerFactory(sent));
    }

    /** Opens the stream; if that fails it is one that ends at once. */
    static PeerStream open(Address to, EventLoop loop, Channel channel) {
        PeerStream stream = new PeerStream(to, loop, channel);
        stream.call.start(stream, new Metadata());
        stream.call.request(Integer.MAX_VALUE); // each answer has somebody who waits for it, and is brief
        return stream;
    }

    /** False where it has ended, or has too much under way: then use another way. */
    boolean takes() {
        return !ended && pending.size() < Limits.PEER_CALLS_PER_STREAM_MAX && (call.isReady() || lastId == 0);
    }

    boolean ended() {
        return ended;
    }

    /** Sends the request, and tells its outcome once. */
    void call(PeerProto.PeerEnvelope request, long timeoutNanos, Completion<PeerReply> completion) {
        long id = ++lastId;
        Timers.Cancel late = loop.after(
                timeoutNanos,
                () -> end(
                        id,
                        Outcome.err(new UniserveException(
                                sent.created() ? ErrorCode.DEADLINE_EXCEEDED : ErrorCode.UNAVAILABLE,
                                to + ": no answer in time"))));
        pending.put(id, new Pending(completion, late));
        call.sendMessage(
                PeerProto.PeerCall.newBuilder().setId(id).setRequest(request).build());
    }

    @Override
    public void onMessage(PeerProto.PeerAnswer answer) {
        Outcome<PeerReply> outcome = outcome(answer);
        loop.execute(() -> end(answer.getId(), outcome));
    }

    private static Outcome<PeerReply> outcome(PeerProto.PeerAnswer answer) {
        try {
            return answer.getError().isEmpty()
                    ? Outcome.ok(PeerReplyMapping.fromProto(answer.getReply()))
                    : Outcome.err(ErrorMapping.decode(answer.getError().toByteArray()));
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    private void end(long id, Outcome<PeerReply> outcome) {
        Pending waiting = pending.remove(id);
        if (waiting != null) {
            waiting.late().cancel();
            waiting.completion().done(outcome);
        }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        // Whether the server ended it or cut it as it went down: what became of the requests on it is not known.
        Status known = status.isOk() || status.getCode() == Status.Code.CANCELLED
                ? Status.UNAVAILABLE
                        .withDescription("the server ended the call")
                        .withCause(status.getCause())
                : status;
        UniserveException error =
                Statuses.fromStatus(known.asRuntimeException(trailers), to.toString(), sent.created(), false);
        loop.execute(() -> {
            ended = true;
            List.copyOf(pending.keySet()).forEach(id -> end(id, Outcome.err(error)));
        });
    }
}
