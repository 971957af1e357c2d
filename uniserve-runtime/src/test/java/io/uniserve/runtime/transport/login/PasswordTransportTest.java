package io.uniserve.runtime.transport.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.proto.AdminGrpc;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.LoginGrpc;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.proto.ModelProto;
import io.uniserve.runtime.proto.RoutingServiceGrpc;
import io.uniserve.runtime.security.Passwords;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.client.AdminClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.server.Authorizer;
import io.uniserve.runtime.transport.server.DataHandlers;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logins of real clients at real servers in mode closed, over TLS. */
class PasswordTransportTest {
    private static final String CLUSTER = "main";
    private static final int ITERATIONS = 4_096;
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Bytes SALT_KEY = Bytes.wrap(new byte[Limits.PASSWORD_KEY_BYTES]);

    @TempDir
    private static Path directory;

    private final SecuritySettings closed = new SecuritySettings(true, Set.of("ann"));
    private final AccessControl access = AccessControl.of(closed, AuditRecorder.NONE);
    private final RoutingBroadcaster routing = new RoutingBroadcaster();
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void makeCertificates() throws Exception {
        Certificates.make(directory, "server", "dns:localhost,ip:127.0.0.1,uri:uniserve://main/server/s1");
        Certificates.make(directory, "user", "dns:localhost,uri:uniserve://main/user/ann");
        Certificates.make(directory, "stranger", "dns:localhost,uri:uniserve://main/user/ann");
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private static UserCredential credential(String user, String password) {
        return Passwords.newCredential(user, password.toCharArray(), ITERATIONS);
    }

    private void users(UserCredential... users) {
        access.setRules(Optional.of(AccessRules.NONE));
        access.setUsers(Optional.of(new UserCredentials(SALT_KEY, List.of(users))));
    }

    private GrpcServer server(int port, boolean require) {
        TlsFiles files = Certificates.files(directory, "server", "user", require);
        GrpcServer server = GrpcServer.builder(ClusterIdentity.of(CLUSTER))
                .access(access)
                .tls(files)
                .authorizer(Authorizer.of(closed, CLUSTER))
                .peers((request, done) -> done.done(Outcome.ok(new PeerReply.Pong(new ServerId("s1"), 7))))
                .admin((request, done) -> done.done(Outcome.ok(
                        request instanceof AdminRequest.ListGrants list
                                ? new AdminReply.UserRoles(list.user(), List.of(), List.of(), List.of())
                                : new AdminReply.Ack())))
                .data(new DataHandlers(
                        (request, done) -> {
                            done.done(Outcome.ok(new ReadReply(List.of(), List.of(), 5)));
                            return () -> {};
                        },
                        (request, done) -> {},
                        (request, done) -> () -> {}))
                .routing(routing)
                .start("localhost", port);
        open.add(server);
        return server;
    }

    private void routing() {
        TableName table = new TableName("t");
        TableMeta meta = new TableMeta(
                table, 1, new Partitioner.Hash(1), "id", ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "kv", Map.of());
        Routing map = new Routing(
                CLUSTER, List.of(new TableRoute(meta, new TableMap(table, 1, List.of()), 0)), List.of(), null);
        access.setRouting(map);
        routing.publish(map);
    }

    /** The stream of reads ends with the login, and not one read is answered without one. */
    @Test
    void aStreamOfReadsEndsWithItsLogin() throws Exception {
        users(credential("ann", "password"));
        routing();
        Address to = address(server(0, false));
        GrpcClientNetwork ann =
                new GrpcClientNetwork(pool("ann", "password"), ClusterIdentity.of(CLUSTER), Runnable::run);
        assertThat(read(ann, to)).isInstanceOf(Outcome.Ok.class);
        users(credential("ann", "password"));
        UniserveException ended = read(ann, to).error();
        assertThat(ended).hasMessageContaining("log in again");
        assertThat(ended.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(retried(ann, to)).as("the same password with another salt").isInstanceOf(Outcome.Ok.class);
        users();
        assertThat(read(ann, to).error().code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(retried(ann, to).error().code()).isEqualTo(ErrorCode.UNAUTHORIZED);
    }

    /** Reads again as a client does: the old token may be refused once more before the next login. */
    private static Outcome<ReadReply> retried(GrpcClientNetwork client, Address to) throws Exception {
        Outcome<ReadReply> first = read(client, to);
        return first instanceof Outcome.Err<ReadReply> err && err.error().code() == ErrorCode.UNAVAILABLE
                ? read(client, to)
                : first;
    }

    private static Outcome<ReadReply> read(GrpcClientNetwork client, Address to) throws Exception {
        CompletableFuture<Outcome<ReadReply>> reply = new CompletableFuture<>();
        ReadRequest request = new ReadRequest(
                new TableName("t"),
                1,
                List.of(new ReadRequest.Target(0, 1, 0)),
                "kv.get@1",
                Bytes.EMPTY,
                1,
                2,
                0,
                CALL_NANOS,
                ReadMode.LINEARIZABLE);
        Timers.Cancel unused = client.read(to, request, reply::complete);
        return reply.get(CALL_NANOS, TimeUnit.NANOSECONDS);
    }

    @Test
    void aWatchEndsWithItsLogin() throws Exception {
        users(credential("ann", "password"));
        routing();
        Address to = address(server(0, false));
        CompletableFuture<Integer> tables = new CompletableFuture<>();
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        RoutingServiceGrpc.newStub(pool("ann", "password").channel(to))
                .watch(AdminProto.WatchCall.getDefaultInstance(), new StreamObserver<>() {
                    @Override
                    public void onNext(ModelProto.Routing map) {
                        tables.complete(map.getTablesCount());
                    }

                    @Override
                    public void onError(Throwable error) {
                        ended.completeExceptionally(error);
                    }

                    @Override
                    public void onCompleted() {
                        ended.complete(true);
                    }
                });
        assertThat(tables.get(CALL_NANOS, TimeUnit.NANOSECONDS)).isEqualTo(1);
        users(access.users().orElseThrow().users().get(0), credential("bob", "password"));
        assertThat(ended).isNotDone();
        users(credential("bob", "password"));
        assertThat(ended.get(CALL_NANOS, TimeUnit.NANOSECONDS)).isTrue();
    }

    private static TlsFiles trusting() {
        return new TlsFiles(
                true, Optional.empty(), Optional.empty(), Optional.of(directory.resolve("server.pem")), false);
    }

    private ChannelPool pool(TlsFiles tls, Optional<UserPassword> user) {
        ChannelPool pool = new ChannelPool(SystemClock.INSTANCE, tls, ClusterIdentity.of(CLUSTER), user);
        open.add(0, pool);
        return pool;
    }

    private ChannelPool pool(String user, String password) {
        return pool(trusting(), Optional.of(new UserPassword(user, password.toCharArray())));
    }

    private static Address address(GrpcServer server) {
        return new Address("localhost", server.port());
    }

    private static Outcome<AdminReply> call(ChannelPool pool, Address to, AdminRequest request) throws Exception {
        CompletableFuture<Outcome<AdminReply>> reply = new CompletableFuture<>();
        new AdminClient(pool, ClusterIdentity.of(CLUSTER), Runnable::run)
                .call(to, request, CALL_NANOS, reply::complete);
        return reply.get(CALL_NANOS, TimeUnit.NANOSECONDS);
    }

    private static String whoami(ChannelPool pool, Address to) throws Exception {
        return ((Outcome.Ok<AdminReply>) call(pool, to, new AdminRequest.ListGrants("", false))).value()
                        instanceof AdminReply.UserRoles roles
                ? roles.user()
                : "";
    }

    private static void refused(ErrorCode code, String text, ChannelPool pool, Address to) throws Exception {
        UniserveException error =
                call(pool, to, new AdminRequest.ListGrants("", false)).error();
        assertThat(error).hasMessageContaining(text);
        assertThat(error.code()).isEqualTo(code);
    }

    @Test
    void aUserWithAPasswordIsTheSameAsWithACertificate() throws Exception {
        users(credential("ann", "password"), credential("bob", "p\u00E4ssword"));
        Address to = address(server(0, false));
        assertThat(whoami(pool("ann", "password"), to)).isEqualTo("ann");
        assertThat(whoami(pool("bob", "pa\u0308ssword"), to)).isEqualTo("bob");
        assertThat(whoami(pool(Certificates.files(directory, "user", "server", false), Optional.empty()), to))
                .isEqualTo("ann");
    }

    @Test
    void manyCallsAtOnceWaitForOneLogin() throws Exception {
        users(credential("ann", "password"));
        Address to = address(server(0, false));
        ChannelPool pool = pool("ann", "password");
        List<CompletableFuture<Outcome<AdminReply>>> replies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            CompletableFuture<Outcome<AdminReply>> reply = new CompletableFuture<>();
            replies.add(reply);
            new AdminClient(pool, ClusterIdentity.of(CLUSTER), Runnable::run)
                    .call(to, new AdminRequest.ListGrants("", false), CALL_NANOS, reply::complete);
        }
        for (CompletableFuture<Outcome<AdminReply>> reply : replies) {
            assertThat(reply.get(CALL_NANOS, TimeUnit.NANOSECONDS)).isInstanceOf(Outcome.Ok.class);
        }
    }

    @Test
    void wrongPasswordsAndUnknownUsersAreRefusedAlike() throws Exception {
        users(credential("ann", "password"));
        Address to = address(server(0, false));
        ChannelPool wrong = pool("ann", "passwore");
        // Only the first of these calls reaches the server: more would end in "failed to log in 10 times".
        for (int i = 0; i < Limits.LOGIN_FAILURES_MAX + 5; i++) {
            refused(ErrorCode.UNAUTHORIZED, "login of user ann: user or password is wrong", wrong, to);
        }
        refused(ErrorCode.UNAUTHORIZED, "login of user eve: user or password is wrong", pool("eve", "password"), to);
        assertThat(whoami(pool("ann", "password"), to)).isEqualTo("ann");
    }

    @Test
    void aCallWithoutAnyIdentityIsRefusedClearly() throws Exception {
        users(credential("ann", "password"));
        Address to = address(server(0, false));
        refused(
                ErrorCode.UNAUTHORIZED,
                "it has no identity: use a certificate made by uniserve security issue, or a user with a password",
                pool(trusting(), Optional.empty()),
                to);
    }

    @Test
    void aCertificateMustBeValidAndMayBeRequired() throws Exception {
        users(credential("ann", "password"));
        Address requested = address(server(0, false));
        UniserveException invalid = call(
                        pool(Certificates.files(directory, "stranger", "server", false), Optional.empty()),
                        requested,
                        new AdminRequest.ListGrants("", false))
                .error();
        assertThat(invalid.code()).isIn(ErrorCode.UNAVAILABLE, ErrorCode.OUTCOME_UNKNOWN, ErrorCode.UNAUTHORIZED);
        Address required = address(server(0, true));
        UniserveException refused = call(pool("ann", "password"), required, new AdminRequest.ListGrants("", false))
                .error();
        assertThat(refused.code()).isIn(ErrorCode.UNAVAILABLE, ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void requestsBetweenServersNeedACertificate() throws Exception {
        users(credential("ann", "password"));
        Address to = address(server(0, false));
        CompletableFuture<Outcome<PeerReply>> reply = new CompletableFuture<>();
        new GrpcNetwork(pool("ann", "password"), ClusterIdentity.of(CLUSTER), Runnable::run)
                .call(to, new PeerRequest.Ping(new ServerId("s1"), new ServerId("s1")), CALL_NANOS, reply::complete);
        UniserveException error = reply.get(CALL_NANOS, TimeUnit.NANOSECONDS).error();
        assertThat(error).hasMessageContaining("only servers and coordinators may call it");
        assertThat(error.code()).isEqualTo(ErrorCode.UNAUTHORIZED);
    }

    @Test
    void afterARestartOfTheProcessTheClientLogsInAgain() throws Exception {
        users(credential("ann", "password"));
        GrpcServer first = server(0, false);
        Address to = address(first);
        ChannelPool pool = pool("ann", "password");
        assertThat(whoami(pool, to)).isEqualTo("ann");
        first.close();
        server(to.port(), false);
        assertThat(eventually(pool, to)).isEqualTo("ann");
    }

    /** As the client does: a call that was refused as UNAVAILABLE, or was not sent, is repeated. */
    private static String eventually(ChannelPool pool, Address to) throws Exception {
        long end = SystemClock.INSTANCE.nanos() + CALL_NANOS;
        while (true) {
            Outcome<AdminReply> outcome = call(pool, to, new AdminRequest.ListGrants("", false));
            if (outcome instanceof Outcome.Ok || SystemClock.INSTANCE.nanos() - end > 0) {
                return whoami(pool, to);
            }
            assertThat(outcome.error().code()).isIn(ErrorCode.UNAVAILABLE, ErrorCode.OUTCOME_UNKNOWN);
        }
    }

    @Test
    void aNewPasswordEndsLoginsWithTheOldOneAtTheNextCall() throws Exception {
        users(credential("ann", "password"));
        Address to = address(server(0, false));
        ChannelPool old = pool("ann", "password");
        assertThat(whoami(old, to)).isEqualTo("ann");
        users(credential("ann", "password2"));
        refused(ErrorCode.UNAVAILABLE, "log in again", old, to);
        refused(ErrorCode.UNAUTHORIZED, "user or password is wrong", old, to);
        ChannelPool renewed = pool("ann", "password2");
        assertThat(whoami(renewed, to)).isEqualTo("ann");
        users(credential("ann", "password2"));
        refused(ErrorCode.UNAVAILABLE, "log in again", renewed, to);
        assertThat(whoami(renewed, to))
                .as("the same password with another salt")
                .isEqualTo("ann");
        users();
        refused(ErrorCode.UNAVAILABLE, "log in again", renewed, to);
        refused(ErrorCode.UNAUTHORIZED, "user or password is wrong", renewed, to);
    }

    @Test
    void untilTheUsersAreKnownLoginsAreUnavailable() throws Exception {
        access.setRules(Optional.of(AccessRules.NONE));
        Address to = address(server(0, false));
        ChannelPool pool = pool("ann", "password");
        refused(ErrorCode.UNAVAILABLE, "node /users", pool, to);
        users(credential("ann", "password"));
        assertThat(whoami(pool, to)).isEqualTo("ann");
    }

    @Test
    void aUserChangesItsOwnPasswordOnly() throws Exception {
        users(credential("bob", "password"));
        Address to = address(server(0, false));
        ChannelPool bob = pool("bob", "password");
        assertThat(call(bob, to, new AdminRequest.PutUser(credential("bob", "password2"), false)))
                .isInstanceOf(Outcome.Ok.class);
        for (AdminRequest other : List.of(
                new AdminRequest.PutUser(credential("bob", "password2"), true),
                new AdminRequest.PutUser(credential("ann", "password2"), false),
                new AdminRequest.RemoveUser("bob"),
                new AdminRequest.ListUsers())) {
            UniserveException error = call(bob, to, other).error();
            assertThat(error).hasMessageContaining("lacks right ADMINISTER");
            assertThat(error.code()).isEqualTo(ErrorCode.UNAUTHORIZED);
        }
    }

    @Test
    void aTokenBesideACertificateIsRefused() throws Exception {
        users(credential("ann", "password"));
        Address to = address(server(0, false));
        ManagedChannel channel = pool(Certificates.files(directory, "user", "server", false), Optional.empty())
                .channel(to);
        refusedHeader(channel, "Bearer x", ErrorCode.UNAUTHORIZED, "use one of both");
        ManagedChannel without = pool(trusting(), Optional.empty()).channel(to);
        refusedHeader(without, "Bearer x", ErrorCode.UNAVAILABLE, "log in again");
        refusedHeader(without, "Bearer ", ErrorCode.UNAVAILABLE, "log in again");
        refusedHeader(without, "Basic YW5uOnBhc3N3b3Jk", ErrorCode.UNAUTHORIZED, "header authorization");
    }

    private static void refusedHeader(ManagedChannel channel, String value, ErrorCode code, String text) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), value);
        assertThatThrownBy(() -> AdminGrpc.newBlockingStub(channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .call(AdminMapping.toProto(CLUSTER, new AdminRequest.ListGrants("", false))))
                .satisfies(thrown -> {
                    UniserveException error = StatusMapping.fromStatus(thrown, "server", true, true);
                    assertThat(error).hasMessageContaining(text);
                    assertThat(error.code()).isEqualTo(code);
                });
    }

    /** Callers without an identity must not fill the memory. */
    @Test
    void aHugeMessageOfALoginEndsItsCall() throws Exception {
        users(credential("ann", "password"));
        ManagedChannel channel = pool(trusting(), Optional.empty()).channel(address(server(0, false)));
        LoginProto.LoginFirst huge = LoginProto.LoginFirst.newBuilder()
                .setMessage("n,,n=ann,r=" + "a".repeat(20_000_000))
                .build();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> LoginGrpc.newBlockingStub(channel).begin(huge))
                    .satisfies(thrown -> {
                        UniserveException error = StatusMapping.fromStatus(thrown, "server", true, true);
                        assertThat(error).hasMessageContaining("more than 12288 bytes");
                        assertThat(error.code()).isEqualTo(ErrorCode.TOO_LARGE);
                    });
        }
        LoginProto.LoginFirst longer = LoginProto.LoginFirst.newBuilder()
                .setMessage("n,,n=ann,r=" + "a".repeat(2_000))
                .build();
        assertThatThrownBy(() -> LoginGrpc.newBlockingStub(channel).begin(longer))
                .satisfies(thrown -> assertThat(StatusMapping.fromStatus(thrown, "server", true, true))
                        .hasMessageContaining("client-first-message"));
    }

    @Test
    void aPasswordNeedsTlsAndNoCertificate() {
        UserPassword ann = new UserPassword("ann", "password".toCharArray());
        assertThatThrownBy(() -> pool(TlsFiles.PLAIN, Optional.of(ann)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining("a password needs TLS");
        assertThatThrownBy(() -> pool(Certificates.files(directory, "user", "server", false), Optional.of(ann)))
                .hasMessageContaining("use one of them");
    }

    @Test
    void aServerInModeOpenHasNoLogins() throws Exception {
        GrpcServer server = GrpcServer.builder(ClusterIdentity.of(CLUSTER))
                .tls(Certificates.files(directory, "server", "user", false))
                .admin((request, done) -> done.done(Outcome.ok(new AdminReply.Ack())))
                .start("localhost", 0);
        open.add(server);
        refused(ErrorCode.UNSUPPORTED, "it is in mode open", pool("ann", "password"), address(server));
    }
}
