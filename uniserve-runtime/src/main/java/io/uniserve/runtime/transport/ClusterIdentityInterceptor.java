package io.uniserve.runtime.transport;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.uniserve.error.UniserveException;
import org.jspecify.annotations.Nullable;

/**
 * Header with the cluster's identity in calls and answers. A call for another cluster is rejected before its handler; an answer of
 * another cluster becomes an error. A side without an identity, such as an older version, is accepted.
 */
public final class ClusterIdentityInterceptor {
    static final Metadata.Key<String> KEY =
            Metadata.Key.of("uniserve-cluster-identity", Metadata.ASCII_STRING_MARSHALLER);

    private ClusterIdentityInterceptor() {}

    private static <Q> ServerCall.Listener<Q> refused(ServerCall<Q, ?> call, UniserveException why) {
        StatusRuntimeException status = StatusMapping.toStatus(why);
        Metadata trailers = status.getTrailers();
        call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
        return new ServerCall.Listener<>() {};
    }

    /** Interceptor of a daemon: checks the caller's identity and sends its own. */
    public static final class OfServer implements ServerInterceptor {
        private final ClusterIdentity cluster;

        public OfServer(ClusterIdentity cluster) {
            this.cluster = cluster;
        }

        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            try {
                cluster.checkServing();
                cluster.checkIdentity(headers.get(KEY));
            } catch (UniserveException e) {
                return refused(call, e);
            }
            return next.startCall(
                    new SimpleForwardingServerCall<>(call) {
                        @Override
                        public void sendHeaders(Metadata answer) {
                            String own = cluster.identity();
                            if (own != null) {
                                answer.put(KEY, own);
                            }
                            super.sendHeaders(answer);
                        }
                    },
                    headers);
        }
    }

    /** Interceptor of a caller: sends the known identity, stores the first one that it receives, and fails answers of another. */
    public static final class OfCaller implements ClientInterceptor {
        private final ClusterIdentity cluster;

        public OfCaller(ClusterIdentity cluster) {
            this.cluster = cluster;
        }

        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<R> listener, Metadata headers) {
                    String own = cluster.identity();
                    if (own != null) {
                        headers.put(KEY, own);
                    }
                    super.start(new Answer<>(cluster, this, listener), headers);
                }
            };
        }
    }

    private static final class Answer<R> extends SimpleForwardingClientCallListener<R> {
        private final ClusterIdentity cluster;
        private final ClientCall<?, R> call;
        private @Nullable UniserveException wrongCluster;

        private Answer(ClusterIdentity cluster, ClientCall<?, R> call, ClientCall.Listener<R> listener) {
            super(listener);
            this.cluster = cluster;
            this.call = call;
        }

        @Override
        public void onHeaders(Metadata headers) {
            String theirs = headers.get(KEY);
            if (theirs != null) {
                try {
                    cluster.setIdentity(theirs);
                } catch (UniserveException e) {
                    wrongCluster = e;
                    call.cancel("another cluster answers", null);
                    return;
                }
            }
            super.onHeaders(headers);
        }

        @Override
        public void onMessage(R message) {
            if (wrongCluster == null) {
                super.onMessage(message);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            UniserveException why = wrongCluster;
            if (why == null) {
                super.onClose(status, trailers);
                return;
            }
            StatusRuntimeException refused = StatusMapping.toStatus(why);
            Metadata detail = refused.getTrailers();
            super.onClose(refused.getStatus(), detail == null ? new Metadata() : detail);
        }
    }
}
