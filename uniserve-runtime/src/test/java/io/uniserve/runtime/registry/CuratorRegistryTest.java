package io.uniserve.runtime.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.registry.access.ZooKeeperIdentity;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CuratorRegistryTest extends RegistryContract {
    @TempDir
    static Path data;

    private static EmbeddedZooKeeper server;
    private static int clusters;

    private final String cluster = "c" + clusters++;
    private final Map<Registry, FaultyTcpProxy> wires = new IdentityHashMap<>();

    @BeforeAll
    static void startServer() {
        server = EmbeddedZooKeeper.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), data, failure -> {});
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void closeAll() throws IOException {
        for (Map.Entry<Registry, FaultyTcpProxy> entry : wires.entrySet()) {
            entry.getValue().mend();
            end(entry.getKey());
            entry.getValue().close();
        }
    }

    @Override
    Registry open() {
        return open(ZooKeeperIdentity.NONE);
    }

    private CuratorRegistry open(ZooKeeperIdentity identity) {
        try {
            FaultyTcpProxy faultyTcpProxy = new FaultyTcpProxy(server.port());
            CuratorRegistry registry = new CuratorRegistry(
                    new RegistryOptions(
                            faultyTcpProxy.address(),
                            cluster,
                            6_000,
                            10_000,
                            new ZooKeeperSecurity(identity, Optional.empty())),
                    loop);
            wires.put(registry, faultyTcpProxy);
            return registry;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FaultyTcpProxy wire(Registry registry) {
        return Optional.ofNullable(wires.get(registry)).orElseThrow();
    }

    @Override
    Optional<Boolean> watchedAtServer(String path) {
        String root = new RegistryOptions("127.0.0.1:" + server.port(), cluster, 6_000, 10_000, ZooKeeperSecurity.NONE)
                .root();
        return Optional.of(server.watches(root + path));
    }

    @Override
    void end(Registry registry) {
        ((CuratorRegistry) registry).close();
    }

    @Override
    void whileCut(Registry registry, Runnable task) {
        wire(registry).cut();
        task.run();
        wire(registry).mend();
    }

    /** Expires the session as ZooKeeper's own tests do: a second client takes it over and closes it. */
    @Override
    void expire(Registry registry) {
        CompletableFuture<ZooKeeper> client = new CompletableFuture<>();
        ((CuratorRegistry) registry)
                .session()
                .ifConnected(zooKeeperHandle -> client.complete(zooKeeperHandle.client()));
        ZooKeeper session = client.join();
        try {
            ZooKeeper thief = new ZooKeeper(
                    "127.0.0.1:" + server.port(),
                    6_000,
                    event -> {},
                    session.getSessionId(),
                    session.getSessionPasswd());
            await().until(() -> thief.getState().isConnected());
            thief.close();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aWriteCutOffIsUnknownAndNeverSentAgain() {
        Registry registry = open();
        Registry other = open();
        multi(registry, new Op.Create("/u/n", term("0"), false));
        wire(registry).swallowAnswers();
        Waiter<MultiResult> waiter = new Waiter<>();
        registry.multi(List.of(new Op.Set("/u/n", term("1"), 0)), waiter);
        await().until(() -> read(other, "/u/n").version() == 1);
        wire(registry).cut();
        assertThat(waiter.await()).isInstanceOf(Outcome.Err.class);
        assertThat(((Outcome.Err<MultiResult>) waiter.await()).error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        wire(registry).mend();
        Waiter.<Done>value(registry::sync);
        assertThat(read(registry, "/u/n").version()).isEqualTo(1);
    }

    @Test
    void aReadCutOffIsSentAgain() {
        Registry registry = open();
        multi(registry, new Op.Create("/r", term("0"), false));
        wire(registry).swallowAnswers();
        Waiter<Versioned> waiter = new Waiter<>();
        registry.read("/r", waiter);
        wire(registry).cut();
        wire(registry).mend();
        assertThat(waiter.await()).isEqualTo(Outcome.ok(new Versioned(term("0"), 0)));
    }

    @Test
    void withoutAServerOperationsFailInsteadOfHanging() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        try (CuratorRegistry registry = new CuratorRegistry(
                new RegistryOptions("127.0.0.1:" + free, cluster, 6_000, 100, ZooKeeperSecurity.NONE), loop)) {
            assertThat(Waiter.<Versioned>error(done -> registry.read("/a", done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(Waiter.<MultiResult>error(
                                    done -> registry.multi(List.of(new Op.Create("/a", term("x"), false)), done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void aServerThatNeverAnswersIsUnavailable() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                CuratorRegistry registry = new CuratorRegistry(
                        new RegistryOptions(
                                "127.0.0.1:" + silent.getLocalPort(), cluster, 1_000, 100, ZooKeeperSecurity.NONE),
                        loop)) {
            assertThat(Waiter.<Done>error(registry::sync).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void otherCredentialsAreRefused() {
        CuratorRegistry owner = open(ZooKeeperIdentity.digest("uniserve", "secret"));
        multi(owner, new Op.Create("/secret", term("x"), false));
        CuratorRegistry stranger = open(ZooKeeperIdentity.digest("uniserve", "guess"));
        assertThat(Waiter.<Versioned>error(done -> stranger.read("/secret", done))
                        .code())
                .isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(Waiter.<MultiResult>error(done -> stranger.multi(List.of(new Op.Set("/secret", term("y"), 0)), done))
                        .code())
                .isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(read(owner, "/secret").version()).isZero();
    }

    @Test
    void theLargestMapFits() {
        List<ServerId> servers = List.of(
                new ServerId("0f8fad5b-d9cb-469f-a165-70867728950e"),
                new ServerId("7c9e6679-7425-40de-944b-e07fc1f90ae7"),
                new ServerId("16fd2706-8baf-433b-82eb-8c7fada847da"));
        List<ActorState> actors = new ArrayList<>();
        for (int i = 0; i < 4096; i++) {
            actors.add(
                    new ActorState(i, i + 7, servers.get(i % 3), servers, List.of(), List.of(), servers, Map.of(), 0));
        }
        TableMap map = new TableMap(new TableName("big"), 5, actors);
        Registry registry = open();
        multi(registry, new Op.Create("/tables/big/map", map, false));
        assertThat(read(registry, "/tables/big/map").value()).isEqualTo(map);
    }

    @Test
    void clustersDoNotSeeEachOther() {
        Registry mine = open();
        multi(mine, new Op.Create("/only/mine", term("x"), false));
        try (CuratorRegistry other =
                new CuratorRegistry(RegistryOptions.of("127.0.0.1:" + server.port(), cluster + "-other"), loop)) {
            assertThat(children(other, "/only")).isEmpty();
        }
    }
}
