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
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All reads of this process at one server, on one long call. A call of its own for each read costs more than the read: its
 * headers, its life in HTTP/2 and its end are most of a small request. When the call ends, every read on it fails as
 * UNAVAILABLE, which may be asked again elsewhere. Safe for use by several threads.
 */
final class ReadStreamClient extends ClientCall.Listener<DataProto.ReadsReply> {
    private final Address to;
    private final String cluster;
    private final ClientCall<DataProto.ReadsCall, DataProto.ReadsReply> call;
    private final Map<Long, PendingRead<?>> pending = new ConcurrentHashMap<>();
    /** Guards what is sent: a call takes messages from one thread at a time. */
    private final Object sending = new Object();

    private long lastId;
    private volatile boolean ended;
    private volatile @Nullable UniserveException failure;

    private ReadStreamClient(Address to, String cluster, ClientCall<DataProto.ReadsCall, DataProto.ReadsReply> call) {
        this.to = to;
        this.cluster = cluster;
        this.call = call;
    }

    /** Opens the stream; if that fails it is one that has ended. */
    static ReadStreamClient open(Address to, String cluster, Channel channel) {
        ReadStreamClient stream =
                new ReadStreamClient(to, cluster, channel.newCall(DataGrpc.getReadsMethod(), CallOptions.DEFAULT));
        stream.call.start(stream, new Metadata());
        // Every reply has somebody who waits for it, and is handed over as it arrives.
        stream.call.request(Integer.MAX_VALUE);
        return stream;
    }

    /** True once it takes no more reads. */
    boolean ended() {
        return ended;
    }

    /** Why it has ended, null where this process wished it. */
    @Nullable
    UniserveException failure() {
        return failure;
    }

    /**
     * Sends the read in the message, whose outcome goes to the completion.
     *
     * @return null where the stream has ended: use another
     */
    @Nullable
    <M> PendingRead<M> read(
            DataProto.ReadsCall.Builder message,
            Executor executor,
            Function<DataProto.ReadReply, M> mapping,
            Completion<M> completion) {
        if (pending.size() >= Limits.READS_PER_STREAM_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this process has " + Limits.READS_PER_STREAM_MAX + " reads under way at " + to
                            + ", the most it asks of one server");
        }
        synchronized (sending) {
            if (ended) {
                return null;
            }
            long id = ++lastId;
            PendingRead<M> read = new PendingRead<>(this, id, executor, mapping, completion);
            pending.put(id, read);
            if (id == 1) {
                message.setCluster(cluster);
            }
            call.sendMessage(message.setId(id).build());
            return read;
        }
    }

    /** Tells the server that nobody waits for this read any more. */
    void giveUp(PendingRead<?> read) {
        if (!over(read)) {
            return;
        }
        synchronized (sending) {
            if (!ended) {
                call.sendMessage(DataProto.ReadsCall.newBuilder().setId(read.id).build());
            }
        }
        read.finish(
                Outcome.err(new UniserveException(ErrorCode.CANCELLED, "the caller has no more use for the answer")));
    }

    /** Takes no more reads and ends once those under way are answered. */
    void finish() {
        synchronized (sending) {
            if (!ended) {
                ended = true;
                call.halfClose();
            }
        }
    }

    @Override
    public void onMessage(DataProto.ReadsReply reply) {
        PendingRead<?> read = pending.get(reply.getId());
        if (read != null) {
            read.take(reply);
        }
    }

    /** True for the first who ends the read. */
    boolean over(PendingRead<?> read) {
        return pending.remove(read.id) != null;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        // Whether the server said so or cut the call as it went down, a read may be asked again elsewhere.
        Status known = status.isOk() || status.getCode() == Status.Code.CANCELLED
                ? Status.UNAVAILABLE
                        .withDescription("the server ended its reads")
                        .withCause(status.getCause())
                : status;
        UniserveException error =
                StatusMapping.fromStatus(known.asRuntimeException(trailers), to.toString(), true, true);
        synchronized (sending) {
            failure = error;
            ended = true;
        }
        for (PendingRead<?> read : pending.values()) {
            if (over(read)) {
                read.finish(Outcome.err(error));
            }
        }
    }
}
