package io.uniserve.runtime.transport;

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

/** A read that waits for its reply. The reply is taken on the stream's thread; cancelled on any. */
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

    /** Takes a message for this read; the last one ends it. */
    void take(DataProto.ReadsReply reply) {
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
            end(Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the pieces of a reply are no reply", e)));
        }
    }

    /** Before anybody hears of it: who lets go of a read that is answered has nothing to tell the server. */
    private void end(Outcome<M> outcome) {
        if (stream.over(this)) {
            finish(outcome);
        }
    }

    void finish(Outcome<M> outcome) {
        executor.execute(() -> completion.done(outcome));
    }

    @Override
    public void cancel() {
        stream.giveUp(this);
    }
}
