package io.uniserve.runtime.transport.server;

import com.google.protobuf.ByteString;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ErrorMapping;
import io.uniserve.runtime.transport.StatusMapping;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Running read: it is answered once, and a second completion is ignored. Thread-safe. */
final class ReadStreamRequest<M> implements Completion<M> {
    private final ReadStreamHandler stream;
    private final long id;
    private final Function<M, DataProto.ReadReply> mapping;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final CancellationLink cancellation = new CancellationLink();

    ReadStreamRequest(ReadStreamHandler reads, long id, Function<M, DataProto.ReadReply> mapping) {
        this.mapping = mapping;
        this.stream = reads;
        this.id = id;
    }

    long id() {
        return id;
    }

    /** Sets the work to stop when the caller disconnects. */
    void onCancel(Timers.Cancel work) {
        cancellation.onCancel(work);
    }

    void cancel() {
        cancellation.cancel();
    }

    @Override
    public void done(Outcome<M> outcome) {
        if (!answered.compareAndSet(false, true)) {
            return;
        }
        if (outcome instanceof Outcome.Ok<M> ok) {
            DataProto.ReadsReply.Builder reply;
            try {
                reply = DataProto.ReadsReply.newBuilder().setReply(mapping.apply(ok.value()));
            } catch (RuntimeException e) {
                reply = error(StatusMapping.toUniserveException(e));
            }
            stream.sendReply(id, reply);
        } else if (outcome instanceof Outcome.Err<M> failed) {
            stream.sendReply(id, error(failed.error()));
        }
    }

    /** Ends the read with a failure before or in the handler. */
    void fail(RuntimeException error) {
        done(Outcome.err(StatusMapping.toUniserveException(error)));
    }

    static DataProto.ReadsReply.Builder error(UniserveException error) {
        return DataProto.ReadsReply.newBuilder().setError(ByteString.copyFrom(ErrorMapping.encode(error)));
    }
}
