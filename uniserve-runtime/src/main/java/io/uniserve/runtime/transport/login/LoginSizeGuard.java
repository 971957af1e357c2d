package io.uniserve.runtime.transport.login;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.StatusRuntimeException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.proto.LoginGrpc;
import io.uniserve.runtime.transport.StatusMapping;

/**
 * Limit of the size of a login's messages. Callers without an identity send them, and gRPC's limit is one for all methods, so it would let each
 * of them fill the memory. A longer message ends its call before it has arrived.
 */
public final class LoginSizeGuard extends ServerStreamTracer.Factory implements ServerInterceptor {
    private static final Context.Key<Counter> COUNTER = Context.key("uniserve-login-size");

    /** Characters of UTF-8 have at most four bytes; two such fields, a number and tags fit. */
    private static final int MESSAGE_BYTES_MAX = 3 * 4 * Limits.LOGIN_MESSAGE_CHARS_MAX;

    private static final ServerStreamTracer NONE = new ServerStreamTracer() {};

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return method.startsWith(LoginGrpc.SERVICE_NAME + "/") ? new Counter() : NONE;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Counter counter = COUNTER.get();
        if (counter != null) {
            counter.onTooLong = () -> {
                StatusRuntimeException refused = StatusMapping.toStatus(new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "a message of a login has more than " + MESSAGE_BYTES_MAX + " bytes: send a shorter one"));
                Metadata trailers = refused.getTrailers();
                call.close(refused.getStatus(), trailers == null ? new Metadata() : trailers);
            };
        }
        return next.startCall(call, headers);
    }

    /** Counter of one call. Used by its transport thread. */
    private static final class Counter extends ServerStreamTracer {
        private long received;
        private Runnable onTooLong = () -> {};

        @Override
        public Context filterContext(Context context) {
            return context.withValue(COUNTER, this);
        }

        @Override
        public void inboundWireSize(long bytes) {
            boolean before = received > MESSAGE_BYTES_MAX;
            received += bytes;
            if (!before && received > MESSAGE_BYTES_MAX) {
                onTooLong.run();
            }
        }
    }
}
