package io.uniserve.runtime.transport.server;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.ClusterIdentityInterceptor;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.TlsCredentials;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.certificate.CertificateHandler;
import io.uniserve.runtime.transport.certificate.CertificateService;
import io.uniserve.runtime.transport.connection.CertificateGuard;
import io.uniserve.runtime.transport.connection.ConnectionTracker;
import io.uniserve.runtime.transport.connection.TransportThreads;
import io.uniserve.runtime.transport.login.LoginHandler;
import io.uniserve.runtime.transport.login.LoginService;
import io.uniserve.runtime.transport.login.LoginSizeGuard;
import io.uniserve.runtime.transport.login.LoginTokens;
import io.uniserve.runtime.transport.login.ScramLogins;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * gRPC server of a daemon. As many transport threads as there are cores read and map requests, and pass them to handlers that must
 * not block. So no request waits for a thread, and no thread waits for a request.
 */
public final class GrpcServer implements AutoCloseable {
    private static final int METADATA_BYTES_MAX = 64 << 10;
    private static final int FLOW_CONTROL_WINDOW_BYTES = 4 << 20;
    private static final int CALLS_PER_CONNECTION_MAX = 4_096;
    private static final long KEEPALIVE_SECONDS = 10;
    private static final long KEEPALIVE_TIMEOUT_SECONDS = 5;
    private static final long CLIENT_KEEPALIVE_MIN_SECONDS = 5;
    private static final long HANDSHAKE_TIMEOUT_SECONDS = 10;

    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Server server;
    private final TransportThreads threads;
    private final List<LongCalls> longCalls;
    private final Runnable release;

    private GrpcServer(Server server, TransportThreads threads, List<LongCalls> longCalls, Runnable release) {
        this.server = server;
        this.threads = threads;
        this.longCalls = longCalls;
        this.release = release;
    }

    /** Calls that go on until one side ends them. */
    private interface LongCalls {
        /** Ends those that have run for this long, once what they are doing is done; 0 for all. */
        void finish(long ageNanos);
    }

    /** Builder of a server's or coordinator's services. */
    public static Builder builder(ClusterIdentity cluster) {
        return new Builder(cluster);
    }

    /** Open port. */
    public int port() {
        return server.getPort();
    }

    /** Ends watches and streams of reads; new calls continue. For a process that rejects every call from now on. */
    public void endLongCalls() {
        longCalls.forEach(calls -> calls.finish(0));
    }

    /** Rejects new calls, waits at most this long for running ones, then aborts the remaining ones. */
    public void stop(long graceNanos) {
        server.shutdown();
        longCalls.forEach(calls -> calls.finish(0));
        boolean drained = false;
        try {
            drained = server.awaitTermination(graceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (drained) {
            release.run();
            threads.close();
        } else {
            close();
        }
    }

    /** Closes the port and aborts every call. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        release.run();
        threads.close();
    }

    /** Builder of a server from handlers. Not thread-safe. */
    public static final class Builder {
        private final ClusterIdentity cluster;
        private final List<BindableService> services = new ArrayList<>();
        private final List<LongCalls> longCalls = new ArrayList<>();
        private Authorizer authorizer = Authorizer.ALLOW_ALL;
        private AccessControl access = AccessControl.OPEN;
        private TlsFiles files = TlsFiles.PLAIN;
        private @Nullable ReloadingTls tls;
        private long connectionAgeNanos = Long.MAX_VALUE;
        private UnaryOperator<LoginHandler> logins = UnaryOperator.identity();

        private Builder(ClusterIdentity cluster) {
            this.cluster = cluster;
        }

        /** Sets the handler of requests between daemons. */
        public Builder peers(PeerHandler handler) {
            services.add(new PeerService(cluster, handler));
            return this;
        }

        /** Sets the handlers of clients' reads, updates and queries. */
        public Builder data(DataHandlers handlers) {
            DataService service = new DataService(cluster, access, handlers);
            services.add(service);
            longCalls.add(service::finish);
            return this;
        }

        /** Sets the handler of administrative requests. */
        public Builder admin(AdminRpcHandler handler) {
            services.add(new AdminService(cluster, access, handler));
            return this;
        }

        /** Sets the handler of requests about certificates. */
        public Builder certificates(CertificateHandler handler) {
            services.add(new CertificateService(cluster, access, handler));
            return this;
        }

        /** Sets the source of the routing map, which is pushed to watchers. */
        public Builder routing(RoutingSource source) {
            RoutingPushService service = new RoutingPushService(cluster, access, source);
            services.add(service);
            longCalls.add(service::finish);
            return this;
        }

        /** Sets the rights of callers. Call it before the handlers. */
        public Builder access(AccessControl value) {
            access = value;
            return this;
        }

        /** Sets the authorizer, which checks every call. */
        public Builder authorizer(Authorizer value) {
            authorizer = value;
            return this;
        }

        /** Sets a function around the handler of logins with a password, for tests. */
        public Builder logins(UnaryOperator<LoginHandler> around) {
            logins = around;
            return this;
        }

        /** Enables TLS, and the authentication of clients if it is required. The server follows changes of the files. */
        public Builder tls(TlsFiles value) {
            files = value;
            return this;
        }

        /** Enables TLS with files that the process follows; their owner closes them after the server. */
        public Builder tls(ReloadingTls value) {
            tls = value;
            return this;
        }

        /**
         * Limits the age of connections: an older one gets no new calls, and its callers connect again. Long calls end at twice the limit.
         * No limit by default.
         */
        public Builder connectionAge(long nanos) {
            connectionAgeNanos = nanos;
            return this;
        }

        /**
         * Opens the port.
         *
         * @param host the address to listen on, {@code 0.0.0.0} for all
         * @param port the port, 0 for any free one
         * @throws UniserveException INVALID_CONFIGURATION if the port is in use or the host is not this machine
         */
        public GrpcServer start(String host, int port) {
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION, "host \"" + host + "\" cannot be resolved");
            }
            boolean owner = tls == null;
            ReloadingTls followed = tls == null ? ReloadingTls.open(files, SystemClock.INSTANCE) : tls;
            TransportThreads threads = TransportThreads.create();
            try {
                return start(address, followed, threads, owner ? followed::close : () -> {});
            } catch (IOException | RuntimeException e) {
                threads.close();
                if (owner) {
                    followed.close();
                }
                if (e instanceof UniserveException known) {
                    throw known;
                }
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        "cannot listen on " + host + ":" + port + ": " + reason(e)
                                + "; choose another port or stop the process that uses it",
                        e);
            }
        }

        private GrpcServer start(
                InetSocketAddress address, ReloadingTls followed, TransportThreads threads, Runnable close)
                throws IOException {
            NettyServerBuilder builder = NettyServerBuilder.forAddress(
                            address, TlsCredentials.server(followed, !access.isOpen()))
                    .directExecutor()
                    .maxInboundMessageSize(Limits.MESSAGE_BYTES_MAX)
                    .maxInboundMetadataSize(METADATA_BYTES_MAX)
                    .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION_MAX)
                    .initialFlowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
                    .handshakeTimeout(HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                    .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .permitKeepAliveTime(CLIENT_KEEPALIVE_MIN_SECONDS, TimeUnit.SECONDS)
                    .permitKeepAliveWithoutCalls(true);
            Optional<LoginTokens> tokens = addLogins();
            services.forEach(service -> builder.addService(MalformedMessageGuard.tolerant(service)));
            boolean aging = connectionAgeNanos < Long.MAX_VALUE;
            if (aging) {
                builder.maxConnectionAge(connectionAgeNanos, TimeUnit.NANOSECONDS);
            }
            ConnectionTracker connections = new ConnectionTracker(followed::accepts);
            threads.serve(builder, connections);
            boolean authorizing = !authorizer.equals(Authorizer.ALLOW_ALL)
                    || !access.isOpen()
                    || access.audit().isOn();
            if (authorizing) {
                builder.addTransportFilter(new CallerFilter(access.audit(), access.isOpen()));
                builder.intercept(new AuthorizationInterceptor(authorizer, access, tokens));
            }
            if (tokens.isPresent()) {
                LoginSizeGuard guard = new LoginSizeGuard();
                builder.addStreamTracerFactory(guard).intercept(guard);
            }
            builder.intercept(new ClusterIdentityInterceptor.OfServer(cluster));
            CertificateGuard guard = new CertificateGuard(connections, followed, access);
            Server listening = builder.build().start();
            Runnable removal = () -> {};
            if (followed.files().enabled()) {
                followed.onChange(guard::checkTrust);
                removal = access.onChange(guard::check);
            }
            Runnable unfollow = removal;
            GrpcServer started = new GrpcServer(listening, threads, List.copyOf(longCalls), () -> {
                unfollow.run();
                close.run();
            });
            threads.repeat(
                    () -> {
                        guard.check();
                        if (aging) {
                            longCalls.forEach(calls -> calls.finish(2 * connectionAgeNanos));
                        }
                    },
                    Math.min(CHECK_NANOS, connectionAgeNanos));
            return started;
        }

        /** Adds the login in mode closed. */
        private Optional<LoginTokens> addLogins() {
            if (access.isOpen()) {
                return Optional.empty();
            }
            LoginTokens tokens = new LoginTokens(SystemClock.INSTANCE, access, cluster.nameOrEmpty());
            LoginHandler handler = logins.apply(new ScramLogins(SystemClock.INSTANCE, access, tokens));
            services.add(new LoginService(cluster, access, handler));
            return Optional.of(tokens);
        }

        private static String reason(Exception error) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            return String.valueOf(cause.getMessage());
        }
    }
}
