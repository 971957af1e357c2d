package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * ZooKeeper is absent at the start, stopped, and dead, for 20 and for 70 seconds. With {@code -Pfull-outages} these are real seconds with
 * the default time-outs; otherwise all are a quarter.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ZooKeeperOutageIT {
    private static final boolean FULL = Boolean.getBoolean("uniserve.test.full-outages");
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration QUIET = Duration.ofSeconds(FULL ? 4 : 1);
    private static final Map<String, String> QUARTER =
            Map.of("zookeeper.session-timeout", "1500ms", "server.lease", "500ms");
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);

    private Optional<ProcessCluster> started = Optional.empty();
    private Optional<UniserveClient> connected = Optional.empty();

    @BeforeAll
    void start(@TempDir Path directory) {
        ProcessCluster cluster = new ProcessCluster(
                ProcessClusterOptions.of(directory, SERVERS, "kv").with(FULL ? Map.of() : QUARTER));
        started = Optional.of(cluster);
    }

    @AfterAll
    void stop() {
        connected.ifPresent(UniserveClient::close);
        started.ifPresent(ProcessCluster::close);
    }

    private ProcessCluster cluster() {
        return started.orElseThrow();
    }

    private UniserveClient client() {
        return connected.orElseThrow();
    }

    @Test
    @Order(1)
    void absentAtTheStartAndThereLater() {
        cluster().startZooKeeper();
        cluster().daemon("zookeeper").kill();
        cluster().launchCoordinator("coordinator-1", Map.of());
        for (int i = 1; i <= SERVERS; i++) {
            cluster().launchServer("server-" + i);
        }
        DaemonProcess impatient = cluster().launchCoordinator("coordinator-2", Map.of("zookeeper.start-timeout", "1s"));
        assertThat(impatient.awaitExit()).isEqualTo(ExitCode.UNAVAILABLE);
        await().untilAsserted(() -> assertThat(impatient.tail())
                .contains(
                        "uniserve: UNAVAILABLE: ",
                        cluster().address("zookeeper").toString(),
                        "uniserve zookeeper"));
        assertThat(cluster().daemons().values())
                .filteredOn(DaemonProcess::isAlive)
                .hasSize(SERVERS + 1);
        cluster().startZooKeeper();
        cluster().await("coordinator-1");
        for (int i = 1; i <= SERVERS; i++) {
            cluster().await("server-" + i);
        }
        UniserveClient client = UniserveClient.builder()
                .bootstrap(cluster().bootstrap().toArray(String[]::new))
                .deadline(Duration.ofSeconds(60))
                .build();
        connected = Optional.of(client);
        await().atMost(PATIENCE).until(() -> client.routing().servers().size() == SERVERS);
        client.admin().createTable(TableSpec.named("still").port("kv").hash(4).replicas(2));
        client.admin()
                .createTable(
                        TableSpec.named("rf2").port("kv").hash(8).replicas(2).keyField("key"));
        client.table("still")
                .updateDocuments(
                        "kv.put@1",
                        Stream.iterate(0, n -> n + 1)
                                .limit(100)
                                .map(n -> Map.of("id", "k" + n))
                                .toList())
                .run()
                .orThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 70})
    @Order(2)
    void standsStill(int seconds) throws Exception {
        outage(
                seconds,
                () -> cluster().daemon("zookeeper").pause(),
                () -> cluster().daemon("zookeeper").resume());
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 70})
    @Order(3)
    void isDead(int seconds) throws Exception {
        outage(
                seconds,
                () -> cluster().daemon("zookeeper").kill(),
                () -> cluster().startZooKeeper());
    }

    /**
     * During an outage stale reads and updates continue; other reads end with the lease, and changes of tables with their deadline.
     * Afterwards everything continues, and nothing is lost or wrong.
     */
    private void outage(int seconds, Runnable begin, Runnable end) throws Exception {
        Duration away = FULL ? Duration.ofSeconds(seconds) : Duration.ofMillis(250L * seconds);
        try (CheckedLoad load = new CheckedLoad(client(), "rf2")) {
            load.start(2);
            await().atMost(PATIENCE).until(() -> load.reads.get() > 100 && load.writes.get() > 50);
            quiet();
            load.refusedUpdates.clear();
            begin.run();
            try {
                long writes = load.writes.get();
                await().atMost(PATIENCE)
                        .until(() -> refusal(ReadMode.LINEARIZABLE).contains("LEASE_EXPIRED"));
                await().during(away)
                        .atMost(PATIENCE)
                        .until(() -> refusal(ReadMode.STALE).isEmpty());
                assertThat(refusal(ReadMode.LINEARIZABLE)).contains("LEASE_EXPIRED");
                assertThat(load.writes.get())
                        .as(() -> "updates while ZooKeeper is away; " + diagnosis(load))
                        .isGreaterThan(writes + 50);
                long late = load.writes.get();
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(load.writes.get())
                                .as(() -> "updates late in the outage; " + diagnosis(load))
                                .isGreaterThan(late + 50));
                tablesCannotBeChanged();
            } finally {
                end.run();
            }
            recovers(load);
        }
    }

    /**
     * Waits until the map shows no pending change, for a while. A server that loses ZooKeeper during a change of epoch must wait for its
     * return, and so must updates of that actor.
     */
    private void quiet() {
        await().atMost(PATIENCE).until(() -> client().routing().servers().size() == SERVERS && settled());
        List<TableRoute> routes = client().routing().tables();
        await().atMost(PATIENCE)
                .during(QUIET)
                .until(() -> client().routing().tables().equals(routes));
    }

    private boolean settled() {
        return actors().allMatch(actor -> actor.epochStarted()
                && actor.isr().size() == 2
                && actor.learners().isEmpty()
                && actor.fencing().isEmpty());
    }

    private String diagnosis(CheckedLoad load) {
        return "refused: " + load.refusedUpdates + "; map: " + actors().toList() + "; said last: "
                + cluster().daemons().values().stream()
                        .map(daemon -> daemon.name() + ":\n" + daemon.tail())
                        .collect(Collectors.joining("\n"));
    }

    private void tablesCannotBeChanged() {
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> client().admin()
                        .deadline(Duration.ofMillis(500))
                        .createTable(TableSpec.named("meanwhile").port("kv").hash(1))))
                .isInstanceOfSatisfying(
                        UniserveException.class,
                        e -> assertThat(e.code())
                                .as(e.getMessage())
                                .isIn(ErrorCode.DEADLINE_EXCEEDED, ErrorCode.OUTCOME_UNKNOWN, ErrorCode.UNAVAILABLE));
    }

    private void recovers(CheckedLoad load) throws Exception {
        await().atMost(PATIENCE).until(() -> client().routing().servers().size() == SERVERS && replicated());
        await().atMost(PATIENCE).until(() -> refusal(ReadMode.LINEARIZABLE).isEmpty());
        long reads = load.reads.get();
        long writes = load.writes.get();
        await().atMost(PATIENCE).until(() -> load.reads.get() > reads + 100 && load.writes.get() > writes + 50);
        load.close();
        load.failed.clear();
        load.verifyAll();
        assertThat(load.wrong).isEmpty();
        assertThat(load.failed).isEmpty();
        client().admin().createTable(TableSpec.named("after").port("kv").hash(2).replicas(2));
        client().admin().dropTable("after");
        dropIfThere("meanwhile");
        assertThat(cluster().daemons().values())
                .filteredOn(DaemonProcess::isAlive)
                .hasSize(SERVERS + 2);
    }

    private void dropIfThere(String table) {
        try {
            client().admin().dropTable(table);
        } catch (UniserveException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        }
    }

    /** Returns the error of a read of the constant table within half a second; empty for the correct answer. */
    private String refusal(ReadMode mode) {
        try {
            long count = client().table("still")
                    .all()
                    .mode(mode)
                    .deadline(Duration.ofMillis(500))
                    .retrieve(
                            COUNT,
                            "",
                            values -> values.stream().mapToLong(Long::longValue).sum());
            assertThat(count).isEqualTo(100);
            return "";
        } catch (UniserveException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private boolean replicated() {
        return actors().allMatch(actor -> actor.isr().size() == 2);
    }

    private Stream<ActorState> actors() {
        return client().routing().tables().stream().flatMap(route -> route.map().actors().stream());
    }
}
