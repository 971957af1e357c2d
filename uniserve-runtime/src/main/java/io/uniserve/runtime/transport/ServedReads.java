package io.uniserve.runtime.transport;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ReadMapping;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The reads of one caller, on one long call. Replies go out as they are ready; a large one goes in pieces, between which
 * others pass, and only as fast as the caller takes them. Requests come on the call's own thread, replies on any.
 */
final class ServedReads implements StreamObserver<DataProto.ReadsCall> {
    private final ClusterIdentity cluster;
    private final ReadHandler handler;
    private final ServerCallStreamObserver<DataProto.ReadsReply> observer;
    private final Map<Long, ServedRead> running = new ConcurrentHashMap<>();
    /** Guarded by this, as all sending is. */
    private final Queue<Pieces> large = new ArrayDeque<>();

    private boolean opened;
    private boolean ended;
    private volatile boolean finishing;

    ServedReads(
            ClusterIdentity cluster,
            ReadHandler handler,
            StreamObserver<DataProto.ReadsReply> observer,
            Consumer<ServedReads> onGone) {
        this.cluster = cluster;
        this.handler = handler;
        this.observer = (ServerCallStreamObserver<DataProto.ReadsReply>) observer;
        this.observer.setOnReadyHandler(this::proceed);
        // Also why an answer to a caller that has gone is dropped instead of throwing.
        this.observer.setOnCancelHandler(() -> {
            gone();
            onGone.accept(this);
        });
        this.observer.setOnCloseHandler(() -> onGone.accept(this));
    }

    @Override
    public void onNext(DataProto.ReadsCall call) {
        try {
            Unparsed.refuse(call);
            if (!opened) {
                cluster.check(call.getCluster());
                opened = true;
            }
        } catch (UniserveException e) {
            refuse(e);
            return;
        }
        if (!call.hasRead()) {
            giveUp(call.getId());
            return;
        }
        ServedRead read = new ServedRead(this, call.getId());
        if (running.putIfAbsent(call.getId(), read) != null) {
            refuse(UniserveException.invalid("two reads with id " + call.getId() + " are under way"));
            return;
        }
        try {
            if (finishing) {
                throw new UniserveException(ErrorCode.UNAVAILABLE, "this server is shutting down");
            }
            read.onCancel(handler.read(ReadMapping.fromProto(call.getRead()), read));
        } catch (RuntimeException e) {
            read.fail(e);
        }
    }

    private void giveUp(long id) {
        ServedRead read = running.get(id);
        if (read != null) {
            read.cancel();
        }
        synchronized (this) {
            large.removeIf(pieces -> pieces.id == id);
        }
    }

    /** Sends the answer to a read. */
    void answer(long id, DataProto.ReadsReply.Builder reply) {
        synchronized (this) {
            running.remove(id);
            if (ended) {
                return;
            }
            int size = reply.getReply().getSerializedSize();
            if (size <= Limits.READ_REPLY_PIECE_BYTES) {
                observer.onNext(reply.setId(id).build());
            } else {
                large.add(new Pieces(id, reply.getReply().toByteString(), 0));
            }
        }
        proceed();
    }

    private synchronized void proceed() {
        while (!ended && !large.isEmpty() && observer.isReady()) {
            Pieces next = large.remove();
            observer.onNext(next.message());
            if (next.more()) {
                large.add(next.rest());
            }
        }
        if (finishing && !ended && running.isEmpty() && large.isEmpty()) {
            ended = true;
            observer.onCompleted();
        }
    }

    /** Takes no more reads and ends the call once those under way are answered. */
    void finish() {
        finishing = true;
        proceed();
    }

    private void refuse(UniserveException error) {
        synchronized (this) {
            if (!ended) {
                ended = true;
                observer.onError(Statuses.toStatus(error));
            }
        }
        gone();
    }

    private void gone() {
        synchronized (this) {
            ended = true;
            large.clear();
        }
        running.values().forEach(ServedRead::cancel);
        running.clear();
    }

    @Override
    public void onError(Throwable problem) {
        gone();
    }

    @Override
    public void onCompleted() {
        finish();
    }

    /** What is left of a large reply. */
    private record Pieces(long id, ByteString bytes, int from) {
        private boolean more() {
            return from + Limits.READ_REPLY_PIECE_BYTES < bytes.size();
        }

        private Pieces rest() {
            return new Pieces(id, bytes, from + Limits.READ_REPLY_PIECE_BYTES);
        }

        private DataProto.ReadsReply message() {
            int to = Math.min(bytes.size(), from + Limits.READ_REPLY_PIECE_BYTES);
            return DataProto.ReadsReply.newBuilder()
                    .setId(id)
                    .setPiece(bytes.substring(from, to))
                    .setMore(more())
                    .build();
        }
    }
}
