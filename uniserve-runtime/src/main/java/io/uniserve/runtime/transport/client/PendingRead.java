package io.uniserve.runtime.transport.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ErrorMapping;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Read that waits for its reply. The stream's thread delivers the reply; any thread may cancel. */
final class PendingRead<M> implements Timers.Cancel {
    final long id;

    private final ReadStreamClient stream;
    private final Executor executor;
    private final Function<DataProto.ReadReply, M> mapping;
    private final Completion<M> completion;
    private ByteString pieces = ByteString.EMPTY;

    PendingRead(
            ReadStreamClient stream,
            long id,
            Executor executor,
            Function<DataProto.ReadReply, M> mapping,
            Completion<M> completion) {
        this.mapping = mapping;
        this.stream = stream;
        this.id = id;
        this.executor = executor;
        this.completion = completion;
    }

    /** Processes a message for this read; the last one completes it. */
    void onReply(DataProto.ReadsReply reply) {
        try {
            if (reply.hasReply()) {
                end(Outcome.ok(mapping.apply(reply.getReply())));
                return;
            }
            if (!reply.getError().isEmpty()) {
                end(Outcome.err(ErrorMapping.decode(reply.getError().toByteArray())));
                return;
            }
            if (pieces.size() + (long) reply.getPiece().size() > Limits.MESSAGE_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE, "the reply has more than " + Limits.MESSAGE_BYTES_MAX + " bytes");
            }
            pieces = pieces.concat(reply.getPiece());
            if (!reply.getMore()) {
                end(Outcome.ok(mapping.apply(DataProto.ReadReply.parseFrom(pieces))));
            }
        } catch (UniserveException e) {
            end(Outcome.err(e));
        } catch (InvalidProtocolBufferException e) {
            end(Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the pieces of a reply cannot be decoded", e)));
        }
    }

    /** Removed from the stream before the completion: a caller that cancels an answered read must not notify the server. */
    private void end(Outcome<M> outcome) {
        if (stream.remove(this)) {
            finish(outcome);
        }
    }

    void finish(Outcome<M> outcome) {
        executor.execute(() -> completion.done(outcome));
    }

    @Override
    public void cancel() {
        stream.cancelRead(this);
    }
}
