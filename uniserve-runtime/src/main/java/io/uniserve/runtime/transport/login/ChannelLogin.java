package io.uniserve.runtime.transport.login;

import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.proto.LoginGrpc;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.login.ScramMessages.ServerFirst;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Login of one connection. The first call logs in, and calls meanwhile wait for it. The token is renewed before it expires, and dropped when
 * the process refuses it. Thread-safe; never blocks.
 */
final class ChannelLogin implements ClientInterceptor {
    /** A token is renewed when this part of its validity is left. */
    private static final int RENEW_PART = 5;

    private final Clock clock;
    private final PasswordLogin login;
    /** Calls that wait for the login. Guarded by this. */
    private List<Waiting> waiting = new ArrayList<>();
    /** Guarded by this. */
    private boolean underWay;

    private volatile @Nullable Token token;

    private record Token(String text, long endNanos, long renewNanos) {
        @Override
        public String toString() {
            return "token";
        }
    }

    private interface Waiting {
        void done(@Nullable Token token, @Nullable UniserveException failure);
    }

    ChannelLogin(Clock clock, PasswordLogin login) {
        this.clock = clock;
        this.login = login;
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        if (LoginGrpc.SERVICE_NAME.equals(method.getServiceName())) {
            return next.newCall(method, options); // as the check of a cluster's security sends it
        }
        TokenCredentials credentials = new TokenCredentials(next);
        return new SimpleForwardingClientCall<>(next.newCall(method, options.withCallCredentials(credentials))) {
            @Override
            public void start(Listener<R> listener, Metadata headers) {
                super.start(
                        new SimpleForwardingClientCallListener<>(listener) {
                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                if (BearerToken.isEnded(trailers)) {
                                    drop(credentials.used);
                                }
                                super.onClose(status, trailers);
                            }
                        },
                        headers);
            }
        };
    }

    private synchronized void drop(@Nullable Token refused) {
        if (refused != null && refused.equals(token)) {
            token = null;
        }
    }

    /** Passes on the token now, or after the login. */
    private void whenLoggedIn(Channel channel, Waiting call) {
        Token present = token;
        long now = clock.nanos();
        Token valid = present != null && now - present.endNanos < 0 ? present : null;
        if (valid != null && now - valid.renewNanos < 0) {
            call.done(valid, null);
            return;
        }
        boolean start;
        synchronized (this) {
            if (valid == null) {
                waiting.add(call);
            }
            start = !underWay;
            underWay = true;
        }
        if (start) {
            Attempt attempt = new Attempt(channel);
            attempt.run(attempt::begin);
        }
        if (valid != null) {
            call.done(valid, null);
        }
    }

    private void end(@Nullable Token renewed, @Nullable UniserveException failure) {
        List<Waiting> calls;
        synchronized (this) {
            if (renewed != null) {
                token = renewed;
            }
            underWay = false;
            calls = waiting;
            waiting = new ArrayList<>();
        }
        calls.forEach(call -> call.done(renewed, failure));
    }

    /** One login. Its steps run on the executor. */
    private final class Attempt {
        private final Channel channel;
        private final ScramExchange exchange = login.newExchange();
        private boolean ended;

        private Attempt(Channel channel) {
            this.channel = channel;
        }

        private void run(Runnable step) {
            try {
                login.executor().execute(() -> {
                    try {
                        step.run();
                    } catch (RuntimeException e) {
                        failed(StatusMapping.toUniserveException(e));
                    }
                });
            } catch (RejectedExecutionException e) {
                end(null, new UniserveException(ErrorCode.UNAVAILABLE, "this process is shutting down"));
            }
        }

        private void failed(UniserveException error) {
            if (!ended) {
                ended = true;
                end(null, login.onFailure(error));
            }
        }

        private void begin() {
            UniserveException refusal = login.refusal().orElse(null);
            if (refusal != null) {
                ended = true;
                end(null, refusal);
                return;
            }
            send(
                    LoginGrpc.getBeginMethod(),
                    LoginProto.LoginFirst.newBuilder()
                            .setCluster(login.cluster())
                            .setMessage(exchange.clientFirst())
                            .build(),
                    this::finish);
        }

        private void finish(LoginProto.LoginFirstReply reply) {
            ServerFirst first = exchange.serverFirst(reply.getMessage());
            String message = exchange.clientFinal(reply.getMessage(), first, login.keys(first));
            send(
                    LoginGrpc.getFinishMethod(),
                    LoginProto.LoginFinal.newBuilder()
                            .setLogin(reply.getLogin())
                            .setMessage(message)
                            .build(),
                    this::accept);
        }

        private void accept(LoginProto.LoginFinalReply reply) {
            exchange.verify(reply.getMessage());
            long valid =
                    TimeUnit.MILLISECONDS.toNanos(Math.max(0, Math.min(reply.getValidMillis(), Limits.LOGIN_TOKEN_MS)));
            long now = clock.nanos();
            login.onSuccess();
            ended = true;
            end(new Token(reply.getToken(), now + valid, now + valid - valid / RENEW_PART), null);
        }

        private <Q, R> void send(MethodDescriptor<Q, R> method, Q request, Consumer<R> next) {
            CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(Limits.LOGIN_MS_MAX, TimeUnit.MILLISECONDS);
            ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, new StreamObserver<R>() {
                @Override
                public void onNext(R reply) {
                    run(() -> next.accept(reply));
                }

                @Override
                public void onError(Throwable error) {
                    run(() -> failed(StatusMapping.fromStatus(error, "login", true, true)));
                }

                @Override
                public void onCompleted() {
                    // The reply came with onNext.
                }
            });
        }
    }

    /** Credentials of one call. */
    private final class TokenCredentials extends CallCredentials {
        private final Channel channel;
        private volatile @Nullable Token used;

        private TokenCredentials(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
            if (info.getSecurityLevel() != SecurityLevel.PRIVACY_AND_INTEGRITY) {
                applier.fail(status(new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION, "a password needs TLS: the connection is not encrypted")));
                return;
            }
            whenLoggedIn(channel, (known, failure) -> {
                if (known != null) {
                    used = known;
                    applier.apply(BearerToken.headers(known.text()));
                } else if (failure != null) {
                    applier.fail(status(failure));
                }
            });
        }
    }

    private static Status status(UniserveException failure) {
        Status status = failure.code() == ErrorCode.UNAUTHORIZED ? Status.UNAUTHENTICATED : Status.UNAVAILABLE;
        return status.withDescription(failure.reason()).withCause(failure);
    }
}
