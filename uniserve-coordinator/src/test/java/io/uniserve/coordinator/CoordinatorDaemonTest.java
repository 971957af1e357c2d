package io.uniserve.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.AdminClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.RoutingClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinatorDaemonTest {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final EventLoop loop = new EventLoop("test", SystemClock.INSTANCE, failures::add);
    private final ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN);
    private String connect = "";

    @BeforeEach
    void startZooKeeper() {
        EmbeddedZooKeeper zookeeper =
                EmbeddedZooKeeper.start(new InetSocketAddress("127.0.0.1", 0), directory, message -> {});
        connect = "127.0.0.1:" + zookeeper.port();
        open.add(zookeeper);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        channels.close();
        loop.close();
        assertThat(failures).isEmpty();
    }

    private Settings settings(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(Map.of(
                "uniserve.zookeeper.connect", connect,
                "uniserve.coordinator.host", "127.0.0.1",
                "uniserve.coordinator.port", "0"));
        values.putAll(more);
        return Settings.load(Optional.empty(), values);
    }

    private CoordinatorDaemon start() {
        CoordinatorDaemon daemon = CoordinatorDaemon.start(settings(Map.of()), failures::add);
        open.add(daemon);
        return daemon;
    }

    private void servers(int count) throws Exception {
        for (int i = 1; i <= count; i++) {
            open.add(new TestingGrpcServer("s" + i, connect));
        }
    }

    private Outcome<AdminReply> ask(CoordinatorDaemon daemon, AdminRequest request) throws Exception {
        CompletableFuture<Outcome<AdminReply>> answer = new CompletableFuture<>();
        new AdminClient(channels, ClusterIdentity.of("uniserve"), loop)
                .call(daemon.address(), request, TIMEOUT_NANOS, answer::complete);
        return answer.get(TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
    }

    private static TableMeta table() {
        return new TableMeta(
                new TableName("t"),
                0,
                new Partitioner.Hash(4),
                "id",
                ConsistencyLevel.EVENTUAL,
                2,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
    }

    private static ErrorCode code(Outcome<AdminReply> outcome) {
        return ((Outcome.Err<AdminReply>) outcome).error().code();
    }

    @Test
    void tablesAreCreatedAndFailedOverAndTheRoutingIsPushed() throws Exception {
        servers(3);
        CoordinatorDaemon daemon = start();
        await().until(daemon::isLeader);
        await().untilAsserted(() -> assertThat(ask(daemon, new AdminRequest.CreateTable(table())))
                .isEqualTo(Outcome.ok(new AdminReply.Ack())));
        List<Routing> pushed = new CopyOnWriteArrayList<>();
        RoutingClient routing = new RoutingClient(
                Set.of(daemon.address()),
                channels,
                ClusterIdentity.unknown(),
                loop,
                SystemClock.INSTANCE,
                new RandomIdGenerator(),
                pushed::add);
        routing.start();
        await().until(() -> !pushed.isEmpty());
        open.get(1).close();
        await().untilAsserted(() -> assertThat(
                        pushed.get(pushed.size() - 1).tables().get(0).map().actors())
                .allSatisfy(actor -> assertThat(actor.primary().value()).isNotEqualTo("s1")));
        routing.close();
        assertThat(ask(daemon, new AdminRequest.Status()))
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((AdminReply.ClusterStatus) ok.value()).loads())
                                .hasSize(2));
    }

    @Test
    void aStandbyLeadsAtOnceWhenTheLeaderIsClosed() throws Exception {
        CoordinatorDaemon first = start();
        await().until(first::isLeader);
        CoordinatorDaemon second = start();
        await().untilAsserted(() -> assertThat(ask(second, new AdminRequest.ListTables()))
                .isInstanceOfSatisfying(
                        Outcome.Err.class,
                        err -> assertThat(err.error().getMessage())
                                .contains("NOT_LEADER", first.address().toString())));
        first.close();
        await().until(second::isLeader);
        await().untilAsserted(() -> assertThat(ask(second, new AdminRequest.ListTables()))
                .isEqualTo(Outcome.ok(new AdminReply.Tables(List.of()))));
    }

    @Test
    void requestsOfAnotherClusterAreRefused() throws Exception {
        CoordinatorDaemon daemon = start();
        CompletableFuture<Outcome<AdminReply>> answer = new CompletableFuture<>();
        new AdminClient(channels, ClusterIdentity.of("another"), loop)
                .call(daemon.address(), new AdminRequest.ListTables(), TIMEOUT_NANOS, answer::complete);
        assertThat(code(answer.get(TIMEOUT_NANOS, TimeUnit.NANOSECONDS))).isEqualTo(ErrorCode.WRONG_CLUSTER);
    }

    @Test
    void aPortInUseIsTold() {
        Address taken = start().address();
        Settings settings = settings(Map.of("uniserve.coordinator.port", String.valueOf(taken.port())));
        assertThatThrownBy(() -> CoordinatorDaemon.start(settings, failures::add))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining(":" + taken.port());
    }

    @Test
    void aStartThatFailsLateLeavesNothingOpen() throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (ServerSocket free = new ServerSocket(0)) {
                ports.add(free.getLocalPort());
            }
        }
        Path audit = directory.resolve("audit");
        Settings settings = settings(Map.of(
                "uniserve.coordinator.port", ports.get(0).toString(),
                "uniserve.metrics.prometheus.enabled", "true",
                "uniserve.metrics.prometheus.port", ports.get(1).toString(),
                "uniserve.security.audit.directory", audit.toString(),
                "uniserve.coordinator.placement.chunks", "nonsense"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> CoordinatorDaemon.start(settings, failures::add))
                    .as("the same failure again, not that of a port or a directory in use")
                    .hasMessageContaining("placement.chunks");
        }
        for (int port : ports) {
            new ServerSocket(port).close();
        }
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("uniserve-coordinator")
                        || name.startsWith("uniserve-metrics")
                        || name.startsWith("uniserve-audit")));
    }

    @Test
    void anAbsentZooKeeperIsTold() {
        Settings settings =
                settings(Map.of("uniserve.zookeeper.connect", "127.0.0.1:1", "uniserve.zookeeper.start-timeout", "1s"));
        assertThatThrownBy(() -> CoordinatorDaemon.start(settings, failures::add))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageContaining("uniserve zookeeper");
    }

    @Test
    void metricsTellWhoLeads() {
        CoordinatorDaemon daemon = start();
        await().untilAsserted(() -> assertThat(daemon.scrape())
                .contains("uniserve_coordinator_leads 1.0", "uniserve_coordinator_term 1.0"));
    }
}
