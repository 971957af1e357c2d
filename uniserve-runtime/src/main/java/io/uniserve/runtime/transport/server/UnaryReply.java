package io.uniserve.runtime.transport.server;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.transport.StatusMapping;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Completion that maps and sends the answer to a unary call. It ignores a second completion, and one after the caller has
 * disconnected.
 *
 * @param <M> type of the handler's answer
 * @param <P> type of the message
 */
final class UnaryReply<M, P> implements Completion<M> {
    private final ServerCallStreamObserver<P> observer;
    private final Function<M, P> mapping;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final CancellationLink cancellation = new CancellationLink();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    UnaryReply(StreamObserver<P> observer, Function<M, P> mapping) {
        this.observer = (ServerCallStreamObserver<P>) observer;
        this.mapping = mapping;
        // With this handler set, an answer to a disconnected caller is dropped instead of throwing.
        this.observer.setOnCancelHandler(() -> {
            cancellation.cancel();
            closed.complete(null);
        });
        this.observer.setOnCloseHandler(() -> closed.complete(null));
    }

    /** Runs this once the caller has the answer, or has disconnected. */
    void onClose(Runnable listener) {
        CompletableFuture<Void> unused = closed.thenRun(listener);
    }

    /** Sets the work to stop when the caller disconnects. */
    void onCancel(Timers.Cancel work) {
        cancellation.onCancel(work);
    }

    @Override
    public void done(Outcome<M> outcome) {
        if (!answered.compareAndSet(false, true)) {
            return;
        }
        if (outcome instanceof Outcome.Ok<M> ok) {
            send(ok.value());
        } else if (outcome instanceof Outcome.Err<M> failed) {
            observer.onError(StatusMapping.toStatus(failed.error()));
        }
    }

    private void send(M value) {
        P message;
        try {
            message = mapping.apply(value);
        } catch (RuntimeException e) {
            observer.onError(StatusMapping.toStatus(e));
            return;
        }
        observer.onNext(message);
        observer.onCompleted();
    }

    /** Ends the call with a failure before or in the handler. */
    void fail(RuntimeException error) {
        if (answered.compareAndSet(false, true)) {
            observer.onError(StatusMapping.toStatus(error));
        }
    }
}
