package io.uniserve.runtime.transport.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.transport.StatusMapping;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One unary call. The answer is mapped on the transport's thread; then the completion runs on the caller's executor, once. The
 * time-out is a timer of this process; the server sees it as a cancelled call.
 *
 * @param <P> type of the message
 * @param <M> type of the caller's answer
 */
final class UnaryCall<P, M> extends ClientCall.Listener<P> implements Timers.Cancel {
    private final Address to;
    private final boolean idempotent;
    private final Function<P, M> mapping;
    private final Executor executor;
    private final Completion<M> completion;
    private final AtomicBoolean done = new AtomicBoolean();
    private final Sent sent = new Sent();
    private @Nullable P answer;
    private volatile @Nullable ClientCall<?, P> call;
    private volatile Timers.Cancel timer = () -> {};
    private volatile boolean cancelled;
    private volatile boolean timedOut;

    UnaryCall(Address to, boolean idempotent, Function<P, M> mapping, Executor executor, Completion<M> completion) {
        this.to = to;
        this.idempotent = idempotent;
        this.mapping = mapping;
        this.executor = executor;
        this.completion = completion;
    }

    /** Sends the request; never throws, every failure goes to the completion. */
    <Q> void start(ChannelPool channels, MethodDescriptor<Q, P> method, Q request, long timeoutNanos) {
        timer = channels.timers().after(timeoutNanos, this::onTimeout); // includes the time to send the request
        try {
            ClientCall<Q, P> started =
                    channels.channel(to).newCall(method, CallOptions.DEFAULT.withStreamTracerFactory(sent));
            started.start(this, new Metadata());
            started.request(2);
            started.sendMessage(request);
            started.halfClose();
            call = started;
            if (timedOut || cancelled) { // stopped before the call existed
                started.cancel("stopped as it was sent", null);
            }
        } catch (RuntimeException e) {
            finish(Outcome.err(StatusMapping.fromStatus(e, to.toString(), sent.created, idempotent)));
        }
    }

    @Override
    public void onMessage(P message) {
        answer = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        P message = answer;
        if (status.getCode() == Status.Code.CANCELLED && timedOut) {
            String what = sent.created ? "no answer in time" : "not connected in time";
            onClose(Status.DEADLINE_EXCEEDED.withDescription(what), trailers);
        } else if (status.getCode() == Status.Code.CANCELLED && !cancelled) {
            // The server aborted the call while stopping.
            onClose(
                    Status.UNAVAILABLE
                            .withDescription("the server aborted the call")
                            .withCause(status.getCause()),
                    trailers);
        } else if (!status.isOk()) {
            finish(Outcome.err(StatusMapping.fromStatus(
                    status.asRuntimeException(trailers), to.toString(), sent.created, idempotent)));
        } else if (message == null) {
            finish(Outcome.err(StatusMapping.fromStatus(
                    Status.INTERNAL.withDescription("no answer").asRuntimeException(),
                    to.toString(),
                    true,
                    idempotent)));
        } else {
            finish(map(message));
        }
    }

    private Outcome<M> map(P message) {
        try {
            return Outcome.ok(mapping.apply(message));
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    private void finish(Outcome<M> outcome) {
        if (done.compareAndSet(false, true)) {
            timer.cancel();
            executor.execute(() -> completion.done(outcome));
        }
    }

    private void onTimeout() {
        timedOut = true;
        stop("no answer in time");
    }

    @Override
    public void cancel() {
        cancelled = true;
        stop("the caller has cancelled the request");
    }

    private void stop(String why) {
        ClientCall<?, P> running = call;
        if (running != null) {
            running.cancel(why, null);
        }
    }

    /** Tracer that records whether the request reached a connection. Before that it has certainly not been handled. */
    private static final class Sent extends ClientStreamTracer.Factory {
        private volatile boolean created;

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    created = true;
                }
            };
        }
    }
}
