package io.uniserve.runtime.transport.server;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.access.Right;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ReadMapping;
import io.uniserve.runtime.proto.data.VersionedReadMapping;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import io.uniserve.runtime.transport.access.RequestRights;
import io.uniserve.runtime.transport.access.UserRequestLimiter;
import io.uniserve.runtime.transport.login.LoginTokens;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Server side of one caller's stream of reads. Replies are sent as they are ready and as fast as the caller receives them; a large
 * one is sent in pieces, with others between them. While a caller leaves too many bytes unread, no more of its requests are read.
 * Requests arrive on the call's own thread, replies on any.
 */
final class ReadStreamHandler implements StreamObserver<DataProto.ReadsCall> {
    private static final Right READS =
            RequestRights.ofMethod(DataGrpc.getReadsMethod().getFullMethodName());

    private final ClusterIdentity cluster;
    private final Caller caller;
    private final UserRequestLimiter limiter;
    private final ReadHandler handler;
    private final ServerCallStreamObserver<DataProto.ReadsReply> observer;
    private final Map<Long, ReadStreamRequest<?>> running = new ConcurrentHashMap<>();
    /** Guarded by this, as is all sending. */
    private final Queue<QueuedReply> unsent = new ArrayDeque<>();

    private long unsentBytes;
    private boolean paused;

    private boolean opened;
    private boolean ended;
    private volatile boolean finishing;
    private final long openedNanos = SystemClock.INSTANCE.nanos();

    ReadStreamHandler(
            ClusterIdentity cluster,
            Caller caller,
            UserRequestLimiter limiter,
            ReadHandler handler,
            StreamObserver<DataProto.ReadsReply> observer,
            Consumer<ReadStreamHandler> onGone) {
        this.cluster = cluster;
        this.caller = caller;
        this.limiter = limiter;
        this.handler = handler;
        this.observer = (ServerCallStreamObserver<DataProto.ReadsReply>) observer;
        this.observer.disableAutoInboundFlowControl();
        this.observer.setOnReadyHandler(this::sendQueued);
        // With this handler set, an answer to a disconnected caller is dropped instead of throwing.
        this.observer.setOnCancelHandler(() -> {
            onDisconnect();
            onGone.accept(this);
        });
        this.observer.setOnCloseHandler(() -> onGone.accept(this));
        this.observer.request(1);
    }

    @Override
    public void onNext(DataProto.ReadsCall call) {
        onCall(call);
        synchronized (this) {
            paused = unsentBytes > Limits.UNSENT_REPLY_BYTES_PER_STREAM_MAX;
            if (paused) {
                return;
            }
        }
        observer.request(1);
    }

    private void onCall(DataProto.ReadsCall call) {
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkServing();
            if (caller.isLoggedOut()) {
                throw LoginTokens.ended(); // the caller opens another stream, with a new login
            }
            if (!opened) {
                cluster.checkName(call.getCluster());
                opened = true;
            }
        } catch (UniserveException e) {
            refuse(e);
            return;
        }
        if (call.hasRead()) {
            serve(
                    new ReadStreamRequest<ReadReply>(this, call.getId(), ReadMapping::toProto),
                    !call.getRead().getOperator().equals(ReadRequest.RELEASE),
                    read -> handler.onBehalfOf(client(call)).read(check(ReadMapping.fromProto(call.getRead())), read));
        } else if (call.hasVersioned()) {
            serve(
                    new ReadStreamRequest<VersionedRead.Reply>(this, call.getId(), VersionedReadMapping::replyToProto),
                    true,
                    read -> handler.onBehalfOf(client(call))
                            .read(check(VersionedReadMapping.fromProto(call.getVersioned())), read));
        } else {
            cancelRead(call.getId());
        }
    }

    private String client(DataProto.ReadsCall call) {
        return caller.queueName(CallerIdentity.checkedName(call.getClient()));
    }

    /** Checks the right to read each table of the request, and that its id is the table's. */
    private ReadRequest check(ReadRequest request) {
        List<ReadRequest.ColocatedTargets> beside = new ArrayList<>();
        for (ReadRequest.ColocatedTargets other : request.colocated()) {
            beside.add(new ReadRequest.ColocatedTargets(
                    other.table(), check(other.table(), other.tableId()), other.targets()));
        }
        return request.withTableIds(check(request.table(), request.tableId()), beside);
    }

    private VersionedRead check(VersionedRead request) {
        return request.withTableId(check(request.table(), request.tableId()));
    }

    private long check(TableName table, long id) {
        caller.check(READS, Optional.of(table));
        return caller.servedId(table, id);
    }

    /** @param counts false for a read that only releases what an earlier one holds: the limit must not refuse it */
    private <M> void serve(ReadStreamRequest<M> read, boolean counts, Function<Completion<M>, Timers.Cancel> work) {
        if (running.putIfAbsent(read.id(), read) != null) {
            refuse(UniserveException.invalid("two reads with id " + read.id() + " are under way"));
            return;
        }
        try {
            if (finishing) {
                throw new UniserveException(
                        ErrorCode.UNAVAILABLE, "this server ends its reads: try again or elsewhere");
            }
            Completion<M> counted = counts ? limiter.start(caller, read) : read;
            read.onCancel(CancellationLink.start(() -> work.apply(counted), counted));
        } catch (RuntimeException e) {
            read.fail(e);
        }
    }

    private void cancelRead(long id) {
        ReadStreamRequest<?> read = running.get(id);
        if (read != null) {
            read.cancel();
        }
        synchronized (this) {
            unsent.removeIf(reply -> reply.id() == id);
            countUnsent(unsent.stream().mapToLong(QueuedReply::bytes).sum());
        }
    }

    /** Sends the answer to a read. */
    void sendReply(long id, DataProto.ReadsReply.Builder reply) {
        synchronized (this) {
            running.remove(id);
            if (ended) {
                return;
            }
            QueuedReply next = QueuedReply.of(reply.setId(id).build());
            if (next.hasMore() || !unsent.isEmpty() || !observer.isReady()) {
                queue(next);
            } else {
                observer.onNext(next.message());
            }
        }
        sendQueued();
    }

    /** Queues the reply, or an error in its place if the user leaves too many bytes unread at all its streams. */
    private void queue(QueuedReply reply) {
        QueuedReply next = reply;
        try {
            limiter.checkUnsent(caller, reply.bytes());
        } catch (UniserveException e) {
            next = QueuedReply.of(ReadStreamRequest.error(e).setId(reply.id()).build());
        }
        unsent.add(next);
        countUnsent(unsentBytes + next.bytes());
    }

    private void countUnsent(long bytes) {
        limiter.addUnsent(caller, bytes - unsentBytes);
        unsentBytes = bytes;
    }

    private void sendQueued() {
        boolean goOn;
        synchronized (this) {
            while (!ended && !unsent.isEmpty() && observer.isReady()) {
                send(unsent.remove());
            }
            if (finishing && !ended && running.isEmpty() && unsent.isEmpty()) {
                ended = true;
                observer.onCompleted();
            }
            goOn = paused && !ended && unsentBytes <= Limits.UNSENT_REPLY_BYTES_PER_STREAM_MAX;
            paused &= !goOn;
        }
        if (goOn) {
            observer.request(1);
        }
    }

    private void send(QueuedReply next) {
        countUnsent(unsentBytes - next.bytes());
        observer.onNext(next.message());
        if (next.hasMore()) {
            QueuedReply rest = next.afterNext();
            unsent.add(rest);
            countUnsent(unsentBytes + rest.bytes());
        }
    }

    /** Time since the stream was opened. */
    long ageNanos() {
        return SystemClock.INSTANCE.nanos() - openedNanos;
    }

    /** Rejects new reads, and ends the call once running ones are answered. */
    void finish() {
        finishing = true;
        sendQueued();
    }

    private void refuse(UniserveException error) {
        synchronized (this) {
            if (!ended) {
                ended = true;
                observer.onError(StatusMapping.toStatus(error));
            }
        }
        onDisconnect();
    }

    private void onDisconnect() {
        synchronized (this) {
            ended = true;
            unsent.clear();
            countUnsent(0);
        }
        running.values().forEach(ReadStreamRequest::cancel);
        running.clear();
    }

    @Override
    public void onError(Throwable problem) {
        onDisconnect();
    }

    @Override
    public void onCompleted() {
        finish();
    }
}
