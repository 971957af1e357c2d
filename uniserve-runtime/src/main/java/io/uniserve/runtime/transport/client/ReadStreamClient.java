package io.uniserve.runtime.transport.client;

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
import io.uniserve.runtime.transport.StatusMapping;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stream of all reads from this process to one server, in one long call. A separate call per read costs more than the read: its
 * headers, its HTTP/2 stream and its end are most of a small request. When the call ends, all reads on it fail with UNAVAILABLE, and
 * may be retried elsewhere. Thread-safe.
 */
final class ReadStreamClient extends ClientCall.Listener<DataProto.ReadsReply> {
    private final Address to;
    private final String cluster;
    private final ClientCall<DataProto.ReadsCall, DataProto.ReadsReply> call;
    private final Map<Long, PendingRead<?>> pending = new ConcurrentHashMap<>();
    /** Lock for sending: a call accepts messages from one thread at a time. */
    private final Object sendLock = new Object();

    private long lastId;
    private volatile boolean ended;
    private volatile @Nullable UniserveException failure;

    private ReadStreamClient(Address to, String cluster, ClientCall<DataProto.ReadsCall, DataProto.ReadsReply> call) {
        this.to = to;
        this.cluster = cluster;
        this.call = call;
    }

    /** Opens the stream; after a failure it is a stream that has ended. */
    static ReadStreamClient open(Address to, String cluster, Channel channel) {
        ReadStreamClient stream =
                new ReadStreamClient(to, cluster, channel.newCall(DataGrpc.getReadsMethod(), CallOptions.DEFAULT));
        stream.call.start(stream, new Metadata());
        // No flow control: every reply is delivered to a waiting caller as it arrives.
        stream.call.request(Integer.MAX_VALUE);
        return stream;
    }

    /** True once the stream accepts no more reads. */
    boolean hasEnded() {
        return ended;
    }

    /** Error that ended the stream, null if this process ended it. */
    @Nullable
    UniserveException failure() {
        return failure;
    }

    /**
     * Sends the read in the message; its outcome goes to the completion.
     *
     * @return null if the stream has ended: use another
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
                            + ", the limit per server");
        }
        synchronized (sendLock) {
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

    /** Cancels the read at the server. */
    void cancelRead(PendingRead<?> read) {
        if (!remove(read)) {
            return;
        }
        synchronized (sendLock) {
            if (!ended) {
                call.sendMessage(DataProto.ReadsCall.newBuilder().setId(read.id).build());
            }
        }
        read.finish(Outcome.err(new UniserveException(ErrorCode.CANCELLED, "the caller has cancelled the request")));
    }

    /** Rejects new reads, and ends the stream once running ones are answered. */
    void finish() {
        synchronized (sendLock) {
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
            read.onReply(reply);
        }
    }

    /** Removes the read; true for the first call only. */
    boolean remove(PendingRead<?> read) {
        return pending.remove(read.id) != null;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        // The server ended the call, or aborted it while stopping; in both cases a read may be retried elsewhere.
        Status known = status.isOk() || status.getCode() == Status.Code.CANCELLED
                ? Status.UNAVAILABLE
                        .withDescription("the server ended its reads")
                        .withCause(status.getCause())
                : status;
        UniserveException error =
                StatusMapping.fromStatus(known.asRuntimeException(trailers), to.toString(), true, true);
        synchronized (sendLock) {
            failure = error;
            ended = true;
        }
        for (PendingRead<?> read : pending.values()) {
            if (remove(read)) {
                read.finish(Outcome.err(error));
            }
        }
    }
}
