package io.uniserve.runtime.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.config.ZooKeeperSettings.Embedded;
import io.uniserve.runtime.registry.access.ZooKeeperConnection;
import io.uniserve.runtime.registry.access.ZooKeeperIdentity;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import io.uniserve.runtime.registry.access.ZooKeeperTls;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract over TLS and with an identity. After each test every node belongs to the identity only. */
class SecuredRegistryTest extends RegistryContract {
    private static final ZooKeeperIdentity OWNER = ZooKeeperIdentity.digest("uniserve", "secret");

    @TempDir
    static Path data;

    private static EmbeddedZooKeeper server;
    private static ZooKeeperTls tls;
    private static int clusters;

    private final String cluster = "s" + clusters++;
    private final Map<Registry, FaultyTcpProxy> wires = new IdentityHashMap<>();

    @BeforeAll
    static void startServer() throws Exception {
        Certificates.make(data, "zk");
        Certificates.make(data, "client");
        TlsFiles client = Certificates.files(data, "client", "zk", false);
        tls = new ZooKeeperTls("uniserve.zookeeper.tls", client.certificate(), client.key(), client.trust(), true);
        server = EmbeddedZooKeeper.start(
                new Embedded(
                        "127.0.0.1",
                        0,
                        data.resolve("data"),
                        Duration.ofMillis(500),
                        Certificates.files(data, "zk", "client", true)),
                failure -> {});
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static ZooKeeperSecurity security(ZooKeeperIdentity identity) {
        return new ZooKeeperSecurity(identity, Optional.of(tls));
    }

    private ZooKeeperConnection connect(ZooKeeperIdentity identity) {
        return ZooKeeperConnection.open(security(identity), "127.0.0.1:" + server.port(), 6_000, 20_000);
    }

    @AfterEach
    void everyNodeBelongsToTheIdentity() throws Exception {
        for (Map.Entry<Registry, FaultyTcpProxy> entry : wires.entrySet()) {
            entry.getValue().mend();
        }
        try (ZooKeeperConnection owner = connect(OWNER)) {
            Deque<String> left = new ArrayDeque<>(List.of("/uniserve/" + cluster));
            while (!left.isEmpty()) {
                String path = left.remove();
                try {
                    assertThat(owner.client().getACL(path, new Stat()))
                            .as(path)
                            .isEqualTo(OWNER.nodeList())
                            .singleElement()
                            .extracting(list -> list.getId().getScheme())
                            .isEqualTo("digest");
                    owner.client().getChildren(path, false).forEach(child -> left.add(path + "/" + child));
                } catch (KeeperException.NoNodeException e) {
                    assertThat(path).as("gone, as an ephemeral node may").isNotEmpty();
                }
            }
        }
        for (Map.Entry<Registry, FaultyTcpProxy> entry : wires.entrySet()) {
            end(entry.getKey());
            entry.getValue().close();
        }
    }

    @Override
    Registry open() {
        return open(cluster, OWNER);
    }

    private CuratorRegistry open(String name, ZooKeeperIdentity identity) {
        try {
            FaultyTcpProxy proxy = new FaultyTcpProxy(server.port());
            CuratorRegistry registry = new CuratorRegistry(
                    new RegistryOptions(proxy.address(), name, 6_000, 10_000, security(identity)), loop);
            wires.put(registry, proxy);
            return registry;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    void end(Registry registry) {
        ((CuratorRegistry) registry).close();
    }

    @Override
    void whileCut(Registry registry, Runnable task) {
        FaultyTcpProxy wire = Optional.ofNullable(wires.get(registry)).orElseThrow();
        wire.cut();
        task.run();
        wire.mend();
    }

    @Override
    void expire(Registry registry) {
        CompletableFuture<ZooKeeper> client = new CompletableFuture<>();
        ((CuratorRegistry) registry).session().ifConnected(handle -> client.complete(handle.client()));
        ZooKeeper session = client.join();
        try {
            String address = "127.0.0.1:" + server.port();
            ZooKeeper thief = new ZooKeeper(
                    address,
                    6_000,
                    event -> {},
                    session.getSessionId(),
                    session.getSessionPasswd(),
                    false,
                    new StaticHostProvider(new ConnectStringParser(address).getServerAddresses()),
                    session.getClientConfig());
            await().until(() -> thief.getState().isConnected());
            thief.close();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Fifty rounds without access lists are enough: {@link CuratorRegistryTest}. */
    @Override
    void whatIsReadAfterACheckIsAsNewAsTheCheck() {}

    /** As above. */
    @Override
    void aReadAfterAWatchMissesNothing() {}

    @Test
    void aNewSessionShowsTheIdentityAgain() {
        Registry registry = open();
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        multi(registry, new Op.Create("/servers/s", term("1"), true), new Op.Create("/map", term("1"), false));
        registry.onSession(events::add);
        expire(registry);
        await().until(() ->
                events.contains(SessionEvent.EXPIRED) && events.get(events.size() - 1) == SessionEvent.CONNECTED);
        assertThat(multi(registry, new Op.Create("/servers/s", term("2"), true), new Op.Set("/map", term("2"), 0))
                        .applied())
                .isTrue();
        whileCut(registry, () -> {});
        Waiter.value(registry::sync);
        assertThat(multi(registry, new Op.Set("/map", term("3"), 1)).applied()).isTrue();
        assertThat(children(registry, "/servers")).containsExactly("s");
        assertThat(Waiter.<List<String>>value(done -> registry.childrenOverNewConnection("/servers", done)))
                .containsExactly("s");
    }

    @Test
    void strangersReadAndChangeNothing() {
        multi(open(), new Op.Create("/access", term("rules"), false));
        try (ZooKeeperConnection stranger = connect(ZooKeeperIdentity.NONE)) {
            String node = "/uniserve/" + cluster + "/access";
            assertThatThrownBy(() -> stranger.client().getData(node, false, null))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.client().setData(node, new byte[0], -1))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.client().delete(node, -1))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.client()
                            .create(node + "/x", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.client().setACL(node, ZooDefs.Ids.OPEN_ACL_UNSAFE, -1))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.client().setACL("/uniserve", ZooDefs.Ids.OPEN_ACL_UNSAFE, -1))
                    .isInstanceOf(KeeperException.NoAuthException.class);
        }
    }

    @Test
    void aNodeOfAnotherOwnerIsAnErrorThatNamesTheSetting() throws Exception {
        Registry registry = open();
        multi(registry, new Op.Create("/t/mine", term("1"), false));
        ZooKeeperIdentity other = ZooKeeperIdentity.digest("uniserve", "guess");
        try (ZooKeeperConnection owner = connect(OWNER)) {
            owner.client()
                    .create("/uniserve/" + cluster + "/t/theirs", new byte[0], other.nodeList(), CreateMode.PERSISTENT);
        }
        assertThat(Waiter.<MultiResult>error(
                        done -> registry.multi(List.of(new Op.Set("/t/theirs", term("x"), 0)), done)))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHORIZED))
                .hasMessageContaining("uniserve.zookeeper.access");
        assertThat(read(registry, "/t/mine").version()).isZero();
        try (ZooKeeperConnection owner = connect(OWNER)) {
            owner.client().delete("/uniserve/" + cluster + "/t/theirs", -1);
        }
    }

    @Test
    void clustersOfOtherOwnersHaveTheirOwnFolders() {
        multi(open(), new Op.Create("/a", term("1"), false));
        CuratorRegistry other = open(cluster + "-other", ZooKeeperIdentity.digest("uniserve", "other"));
        assertThat(multi(other, new Op.Create("/a", term("1"), false)).applied())
                .isTrue();
    }
}
