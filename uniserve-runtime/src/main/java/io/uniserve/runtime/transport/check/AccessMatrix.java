package io.uniserve.runtime.transport.check;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.model.access.Right;
import io.uniserve.model.access.Role;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.LoginGrpc;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.proto.ModelProto;
import io.uniserve.runtime.proto.RoutingServiceGrpc;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.access.RequestRights;
import io.uniserve.runtime.transport.certificate.CertificateHandler;
import io.uniserve.runtime.transport.client.AdminClient;
import io.uniserve.runtime.transport.client.CertificateClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.http.HttpRoute;
import io.uniserve.runtime.transport.login.LoginHandler;
import io.uniserve.runtime.transport.server.Authorizer;
import io.uniserve.runtime.transport.server.DataHandlers;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.MethodCallers;
import io.uniserve.runtime.transport.server.ReadHandler;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Check of every gRPC method, every kind of administrative request and every HTTP route, with every kind of caller, over real connections to
 * listeners of this process in mode closed. The handlers do nothing but count. A cell is right if a request reaches its handler exactly when
 * the declared callers and the declared right say so.
 *
 * <p>One check at a time; blocks for some seconds. Not thread-safe.
 */
public final class AccessMatrix {
    /** Table to which the roles of the callers give their rights. */
    public static final TableName TABLE = new TableName("checked");

    private static final String PEER = "uniserve.Peer/Call";
    private static final String ADMIN = "uniserve.Admin/Call";
    private static final Set<ErrorCode> REFUSALS = Set.of(ErrorCode.UNAUTHORIZED, ErrorCode.TABLE_NOT_FOUND);
    private static final SecuritySettings CLOSED = new SecuritySettings(true, Set.of());
    private static final Map<String, HttpRoute> ROUTES =
            Arrays.stream(HttpRoute.values()).collect(Collectors.toUnmodifiableMap(HttpRoute::action, route -> route));
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final ServerId SERVER = new ServerId("server-1");

    private final String cluster;
    private final TlsFiles serverTls;
    private final AccessRules rules;
    private final UserCredentials users;
    private final AtomicInteger reached = new AtomicInteger();
    private final Map<String, Function<Connection, Optional<ErrorCode>>> requests = new TreeMap<>();
    private final Map<String, Optional<Right>> rights = new TreeMap<>();

    /**
     * A kind of caller.
     *
     * @param name such as {@code reader} or {@code other authority}
     * @param tls its certificates
     * @param process true for a server or coordinator of the cluster
     * @param user true for a user of the cluster
     * @param connects true if it reaches the server over TLS and may log in there: it has no certificate, or one of the cluster
     * @param roles its roles for the table
     * @param login user with its password; empty for a caller that logs in by its certificate, or not at all
     */
    public record CallerKind(
            String name,
            TlsFiles tls,
            boolean process,
            boolean user,
            boolean connects,
            Set<Role> roles,
            Optional<UserPassword> login) {
        public CallerKind {
            roles = Set.copyOf(roles);
        }
    }

    /**
     * One method or kind of request with one caller.
     *
     * @param expected true if the declaration permits it
     * @param permitted true if the request reached its handler
     * @param refused true if it was refused for a missing right; a connection that fails is not
     */
    public record Cell(String method, CallerKind caller, boolean expected, boolean permitted, boolean refused) {
        /** True if the request was treated as declared: of a user of the cluster, refused for the missing right. */
        public boolean isRight() {
            return expected == permitted && (permitted || refused || !caller.user());
        }
    }

    private record Connection(
            ChannelPool channels,
            ClusterIdentity cluster,
            Address address,
            Function<HttpRoute, Optional<ErrorCode>> routes) {}

    /**
     * @param server certificates of the server
     * @param rules rules of the users among the callers
     * @param users passwords of the users among the callers
     */
    public AccessMatrix(String cluster, TlsFiles server, AccessRules rules, UserCredentials users) {
        this.cluster = cluster;
        this.users = users;
        this.serverTls = new TlsFiles(true, server.certificate(), server.key(), server.trust(), false);
        this.rules = rules;
        addRequests();
    }

    private void add(String method, Optional<Right> right, Function<Connection, Optional<ErrorCode>> request) {
        requests.put(method, request);
        rights.put(method, right);
    }

    private void addRequests() {
        add(
                PEER,
                Optional.empty(),
                to -> AccessMatrix.<PeerReply>call(done -> new GrpcNetwork(to.channels, to.cluster, Runnable::run)
                        .call(to.address, new PeerRequest.Ping(SERVER, SERVER), CALL_NANOS, done)));
        for (HttpRoute route : HttpRoute.values()) {
            add(route.action(), Optional.of(route.right()), to -> to.routes.apply(route));
        }
        Map<String, Optional<Right>> kinds = RequestRights.all();
        for (AdminRequest request : SampleRequests.admin(TABLE)) {
            String kind = RequestRights.kind(AdminMapping.toProto(cluster, request));
            add(
                    ADMIN + " " + kind,
                    kinds.getOrDefault(kind, Optional.empty()),
                    to -> AccessMatrix.<AdminReply>call(done -> new AdminClient(to.channels, to.cluster, Runnable::run)
                            .call(to.address, request, CALL_NANOS, done)));
        }
        String describe = "uniserve.Certificates/Describe";
        add(
                describe,
                RequestRights.ofMethods().getOrDefault(describe, Optional.empty()),
                to -> AccessMatrix.<CertificateStatus>call(
                        done -> new CertificateClient(to.channels, to.cluster).describe(to.address, CALL_NANOS, done)));
        String renew = "uniserve.Certificates/Renew";
        add(
                renew,
                RequestRights.ofMethods().getOrDefault(renew, Optional.empty()),
                to -> AccessMatrix.<String>call(done -> new CertificateClient(to.channels, to.cluster)
                        .renew(to.address, SampleRequests.publicKey(), CALL_NANOS, done)));
        String watch = "uniserve.RoutingService/Watch";
        add(watch, RequestRights.ofMethods().getOrDefault(watch, Optional.empty()), this::watch);
        add(
                "uniserve.Login/Begin",
                Optional.empty(),
                to -> login(to, LoginGrpc.getBeginMethod(), SampleRequests.loginFirst()));
        add(
                "uniserve.Login/Finish",
                Optional.empty(),
                to -> login(to, LoginGrpc.getFinishMethod(), SampleRequests.loginFinal()));
        addData(
                "uniserve.Data/Reads",
                (client, to) -> AccessMatrix.<ReadReply>call(done -> {
                    Timers.Cancel unused = client.read(to.address, SampleRequests.read(TABLE), done);
                }));
        addData(
                "uniserve.Data/Reads",
                " at a version",
                (client, to) -> AccessMatrix.<VersionedRead.Reply>call(done -> {
                    Timers.Cancel unused = client.read(to.address, SampleRequests.versionedRead(TABLE), done);
                }));
        addData(
                "uniserve.Data/Update",
                (client, to) -> AccessMatrix.<UpdateReply>call(
                        done -> client.update(to.address, SampleRequests.update(TABLE), CALL_NANOS, done)));
        addData(
                "uniserve.Data/Query",
                (client, to) -> AccessMatrix.<Answer>call(done -> {
                    Timers.Cancel unused = client.query(to.address, SampleRequests.query(TABLE), CALL_NANOS, done);
                }));
        addData(
                "uniserve.Data/Cut",
                (client, to) -> AccessMatrix.<ConsistentSnapshot>call(
                        done -> client.requestConsistentCut(to.address, List.of(TABLE), CALL_NANOS, done)));
        addData(
                "uniserve.Data/Queries",
                (client, to) -> AccessMatrix.<QueriesHandler.Running>call(
                        done -> client.queries(to.address, 0, CALL_NANOS, done)));
    }

    /** A watch counts as permitted if the map that it gets has the table. */
    private Optional<ErrorCode> watch(Connection to) {
        AtomicBoolean pushed = new AtomicBoolean();
        Optional<ErrorCode> unused =
                AccessMatrix.<Done>call(done -> RoutingServiceGrpc.newStub(to.channels.channel(to.address))
                        .withDeadlineAfter(CALL_NANOS, TimeUnit.NANOSECONDS)
                        .watch(
                                AdminProto.WatchCall.getDefaultInstance(),
                                new ClientResponseObserver<AdminProto.WatchCall, ModelProto.Routing>() {
                                    private @Nullable ClientCallStreamObserver<AdminProto.WatchCall> watch;

                                    @Override
                                    public void beforeStart(ClientCallStreamObserver<AdminProto.WatchCall> started) {
                                        watch = started;
                                    }

                                    @Override
                                    public void onNext(ModelProto.Routing routing) {
                                        pushed.set(true);
                                        if (routing.getTablesCount() > 0) {
                                            reached.incrementAndGet();
                                        }
                                        if (watch != null) {
                                            watch.cancel("the map is here", null);
                                        }
                                    }

                                    @Override
                                    public void onError(Throwable end) {
                                        done.done(Outcome.ok(Done.DONE));
                                    }

                                    @Override
                                    public void onCompleted() {
                                        done.done(Outcome.ok(Done.DONE));
                                    }
                                }));
        return pushed.get() ? Optional.of(ErrorCode.TABLE_NOT_FOUND) : Optional.empty();
    }

    private static <Q, R> Optional<ErrorCode> login(Connection to, MethodDescriptor<Q, R> method, Q request) {
        try {
            R unused = ClientCalls.blockingUnaryCall(
                    to.channels.channel(to.address),
                    method,
                    CallOptions.DEFAULT.withDeadlineAfter(CALL_NANOS, TimeUnit.NANOSECONDS),
                    request);
            return Optional.empty();
        } catch (StatusRuntimeException e) {
            return Optional.of(StatusMapping.fromStatus(e, to.address.toString(), true, true)
                    .code());
        }
    }

    private interface DataRequest {
        Optional<ErrorCode> send(GrpcClientNetwork client, Connection to);
    }

    private void addData(String method, DataRequest request) {
        addData(method, "", request);
    }

    private void addData(String method, String kind, DataRequest request) {
        add(
                method + kind,
                RequestRights.ofMethods().getOrDefault(method, Optional.empty()),
                to -> request.send(new GrpcClientNetwork(to.channels, to.cluster, Runnable::run), to));
    }

    /** Methods, kinds of requests and routes without a sample; a check would pass over them. */
    public Set<String> missing() {
        Set<String> all = new TreeSet<>(RequestRights.ofMethods().keySet());
        all.addAll(MethodCallers.all().keySet());
        all.remove(ADMIN);
        RequestRights.all().keySet().forEach(kind -> all.add(ADMIN + " " + kind));
        all.addAll(ROUTES.keySet());
        all.removeAll(requests.keySet());
        return all;
    }

    /** Number of methods, kinds of requests and routes. */
    public int methods() {
        return requests.size();
    }

    /** Sends each request by each caller. */
    public List<Cell> run(List<CallerKind> callers) {
        List<Cell> cells = new ArrayList<>();
        AccessControl access = access();
        GrpcServer server = start(access);
        try (RouteRequests routes = new RouteRequests(cluster, serverTls, access)) {
            Address address = new Address("localhost", server.port());
            for (CallerKind caller : callers) {
                try (ChannelPool channels = new ChannelPool(
                        SystemClock.INSTANCE, caller.tls(), ClusterIdentity.of(cluster), caller.login())) {
                    Connection to = new Connection(
                            channels,
                            ClusterIdentity.of(cluster),
                            address,
                            route -> routes.send(route, caller.tls(), reached));
                    requests.forEach((method, request) -> {
                        int before = reached.get();
                        Optional<ErrorCode> end = request.apply(to);
                        boolean refused = end.filter(REFUSALS::contains).isPresent();
                        cells.add(
                                new Cell(method, caller, isDeclared(method, caller), reached.get() > before, refused));
                    });
                }
            }
        } finally {
            server.close();
        }
        return cells;
    }

    private boolean isDeclared(String method, CallerKind caller) {
        if (caller.process()) {
            return true;
        }
        HttpRoute route = ROUTES.get(method);
        if (route != null && route.callers() == Callers.ANYONE) {
            return caller.connects() || !caller.tls().enabled(); // probes that cannot speak TLS
        }
        if (MethodCallers.of(method) == Callers.ANYONE) {
            return caller.connects();
        }
        Optional<Right> right = rights.getOrDefault(method, Optional.empty());
        if (!caller.user() || right.isEmpty()) {
            return false;
        }
        return method.equals(ADMIN + " list_tables") // each user gets the tables that it may see
                || right.get() == Right.CONNECT
                || caller.roles().stream().anyMatch(role -> role.includes(right.get()));
    }

    private AccessControl access() {
        AccessControl access = AccessControl.of(CLOSED, AuditRecorder.NONE);
        access.setRules(Optional.of(rules));
        access.setUsers(Optional.of(users));
        return access;
    }

    private GrpcServer start(AccessControl access) {
        RoutingBroadcaster routing = new RoutingBroadcaster();
        Routing map = new Routing(
                cluster,
                List.of(new TableRoute(SampleRequests.meta(TABLE), new TableMap(TABLE, 1, List.of()), 0)),
                List.of(),
                null);
        access.setRouting(map);
        routing.publish(map);
        return GrpcServer.builder(ClusterIdentity.of(cluster))
                .access(access)
                .tls(serverTls)
                .authorizer(Authorizer.of(CLOSED, cluster))
                .logins(CountingLogins::new)
                .peers((request, done) -> answer(done))
                .admin((request, done) -> answer(done))
                .certificates(new CountingCertificates())
                .data(new DataHandlers(
                        new CountingReads(),
                        (request, done) -> answer(done),
                        (request, done) -> {
                            answer(done);
                            return () -> {};
                        },
                        (tables, done) -> answer(done),
                        cancel -> {
                            reached.incrementAndGet();
                            throw new UniserveException(ErrorCode.UNSUPPORTED, "reached");
                        }))
                .routing(routing)
                .start("localhost", 0);
    }

    private final class CountingReads implements ReadHandler {
        @Override
        public Timers.Cancel read(ReadRequest request, Completion<ReadReply> done) {
            answer(done);
            return () -> {};
        }

        @Override
        public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> done) {
            answer(done);
            return () -> {};
        }
    }

    /** Counts the samples, and passes on the logins of callers. */
    private final class CountingLogins implements LoginHandler {
        private final LoginHandler real;

        private CountingLogins(LoginHandler real) {
            this.real = real;
        }

        @Override
        public LoginProto.LoginFirstReply first(String address, LoginProto.LoginFirst call) {
            if (!call.getMessage().equals(SampleRequests.loginFirst().getMessage())) {
                return real.first(address, call);
            }
            reached.incrementAndGet();
            return LoginProto.LoginFirstReply.getDefaultInstance();
        }

        @Override
        public LoginProto.LoginFinalReply finish(String address, LoginProto.LoginFinal call) {
            if (!call.getLogin().isEmpty()) {
                return real.finish(address, call);
            }
            reached.incrementAndGet();
            return LoginProto.LoginFinalReply.getDefaultInstance();
        }
    }

    private final class CountingCertificates implements CertificateHandler {
        @Override
        public CertificateStatus describe() {
            throw counted();
        }

        @Override
        public X509Certificate checkRenewable(Optional<X509Certificate> current) {
            throw counted();
        }

        @Override
        public void renew(X509Certificate current, PublicKey key, Completion<String> completion) {
            throw new IllegalStateException("a renewal that was not checked");
        }
    }

    private UniserveException counted() {
        reached.incrementAndGet();
        return new UniserveException(ErrorCode.UNSUPPORTED, "reached");
    }

    private <T> void answer(Completion<T> done) {
        done.done(Outcome.err(counted()));
    }

    /** Sends a request and waits for its end. Returns the code of an error; the handlers count what reached them. */
    private static <T> Optional<ErrorCode> call(Consumer<Completion<T>> request) {
        CompletableFuture<Outcome<T>> end = new CompletableFuture<>();
        request.accept(end::complete);
        try {
            Outcome<T> outcome = end.get(2 * CALL_NANOS, TimeUnit.NANOSECONDS);
            return outcome instanceof Outcome.Err<T> err
                    ? Optional.of(err.error().code())
                    : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.UNAVAILABLE, "the check was interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "a request of the check did not end", e);
        }
    }
}
