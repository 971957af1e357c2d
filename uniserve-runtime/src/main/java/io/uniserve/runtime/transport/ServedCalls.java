package io.uniserve.runtime.transport;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.proto.ErrorMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.PeerReplyMapping;
import io.uniserve.runtime.proto.PeerRequestMapping;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Brief requests of one other daemon, on one long call. Answers go out as they are ready, in any order. With too many unanswered, or
 * not taken by the caller, no more requests are read. Requests come on the call's own thread, answers on any.
 */
final class ServedCalls implements StreamObserver<PeerProto.PeerCall> {
    private final ClusterIdentity cluster;
    private final PeerHandler handler;
    private final ServerCallStreamObserver<PeerProto.PeerAnswer> observer;
    /** The rest is guarded by this, as all sending is. */
    private int unanswered;

    private boolean paused;
    private boolean finishing;
    private boolean ended;

    ServedCalls(
            ClusterIdentity cluster,
            PeerHandler handler,
            StreamObserver<PeerProto.PeerAnswer> observer,
            Consumer<ServedCalls> onGone) {
        this.cluster = cluster;
        this.handler = handler;
        this.observer = (ServerCallStreamObserver<PeerProto.PeerAnswer>) observer;
        this.observer.disableAutoInboundFlowControl();
        this.observer.setOnReadyHandler(this::proceed);
        // Also why an answer to a caller that has gone is dropped instead of throwing.
        this.observer.setOnCancelHandler(() -> {
            gone();
            onGone.accept(this);
        });
        this.observer.setOnCloseHandler(() -> onGone.accept(this));
        this.observer.request(1);
    }

    @Override
    public void onNext(PeerProto.PeerCall call) {
        synchronized (this) {
            unanswered++;
            paused = true;
        }
        take(call);
        proceed();
    }

    private void take(PeerProto.PeerCall call) {
        try {
            Unparsed.refuse(call);
            cluster.check(call.getRequest().getCluster());
        } catch (UniserveException e) {
            refuse(e);
            return;
        }
        AtomicBoolean answered = new AtomicBoolean();
        try {
            handler.call(PeerRequestMapping.fromProto(call.getRequest()), outcome -> {
                if (answered.compareAndSet(false, true)) {
                    answer(call.getId(), outcome);
                }
            });
        } catch (RuntimeException e) {
            if (answered.compareAndSet(false, true)) {
                answer(call.getId(), Outcome.err(Statuses.told(e)));
            }
        }
    }

    private void answer(long id, Outcome<PeerReply> outcome) {
        PeerProto.PeerAnswer.Builder answer = PeerProto.PeerAnswer.newBuilder().setId(id);
        try {
            if (outcome instanceof Outcome.Ok<PeerReply> ok) {
                answer.setReply(PeerReplyMapping.toProto(ok.value()));
            } else if (outcome instanceof Outcome.Err<PeerReply> err) {
                answer.setError(ByteString.copyFrom(ErrorMapping.encode(err.error())));
            }
        } catch (RuntimeException e) {
            answer.setError(ByteString.copyFrom(ErrorMapping.encode(Statuses.told(e))));
        }
        synchronized (this) {
            unanswered--;
            if (!ended) {
                observer.onNext(answer.build());
            }
        }
        proceed();
    }

    /** Reads the next request where there is room for it. */
    private void proceed() {
        boolean goOn;
        synchronized (this) {
            if (finishing && !ended && unanswered == 0) {
                ended = true;
                observer.onCompleted();
            }
            goOn = paused && !ended && unanswered < Limits.PEER_CALLS_PER_STREAM_MAX && observer.isReady();
            paused &= !goOn;
        }
        if (goOn) {
            observer.request(1);
        }
    }

    /** Takes no more requests, and ends the call once those under way are answered. */
    void finish() {
        synchronized (this) {
            finishing = true;
        }
        proceed();
    }

    private void refuse(UniserveException error) {
        synchronized (this) {
            if (!ended) {
                ended = true;
                observer.onError(Statuses.toStatus(error));
            }
        }
    }

    private synchronized void gone() {
        ended = true;
    }

    @Override
    public void onError(Throwable problem) {
        gone();
    }

    @Override
    public void onCompleted() {
        finish();
    }
}
