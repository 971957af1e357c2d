package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testkit.process.StaleRouteReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Real processes and real signals, one cluster for all cases; each starts and ends with a healthy cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ProcessFaultsIT {
    private static final int SERVERS = 4;
    private static final int RF = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private StartedCluster started;

    @BeforeAll
    void start(@TempDir Path directory) {
        started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of("zookeeper.session-timeout", "3s", "server.lease", "1s"))
                .withFastStart());
        UniserveClient client = client();
        client.admin()
                .createTable(
                        TableSpec.named("rf2").port("kv").hash(8).replicas(2).keyField("key"));
        client.admin()
                .createTable(
                        TableSpec.named("rf3").port("kv").hash(8).replicas(RF).keyField("key"));
    }

    @AfterAll
    void stop() {
        started.close();
    }

    private ProcessCluster cluster() {
        return started.processes();
    }

    private UniserveClient client() {
        return started.client();
    }

    @Test
    @Order(1)
    void eachServerInTurnDiesUnderLoad() throws Exception {
        underLoad("rf2", () -> {
            for (int i = 1; i <= SERVERS; i++) {
                String victim = "server-" + i;
                cluster().daemon(victim).kill();
                awaitReplicas("rf2", 2, SERVERS - 1);
                cluster().startServer(victim);
                awaitReplicas("rf2", 2, SERVERS);
                awaitReplicas("rf3", RF, SERVERS);
            }
        });
    }

    @Test
    @Order(2)
    void theCoordinatorDiesAndAStandbyTakesOver() throws Exception {
        underLoad("rf2", () -> {
            cluster().startCoordinator("coordinator-2");
            cluster().daemon("coordinator-1").kill();
            client().admin()
                    .deadline(Duration.ofSeconds(60))
                    .createTable(TableSpec.named("standby").port("kv").hash(2).keyField("key"));
            client().admin().deadline(Duration.ofSeconds(60)).dropTable("standby");
            cluster().startCoordinator("coordinator-1");
            cluster().daemon("coordinator-2").kill();
            client().admin()
                    .deadline(Duration.ofSeconds(60))
                    .createTable(TableSpec.named("again").port("kv").hash(2).keyField("key"));
            client().admin().deadline(Duration.ofSeconds(60)).dropTable("again");
        });
    }

    @Test
    @Order(3)
    void zooKeeperDiesAndComesBack() throws Exception {
        underLoad("rf2", () -> {
            cluster().daemon("zookeeper").kill();
            cluster().startZooKeeper();
            awaitReplicas("rf2", 2, SERVERS);
            client().admin()
                    .deadline(Duration.ofSeconds(60))
                    .createTable(TableSpec.named("afterzk").port("kv").hash(2).keyField("key"));
            client().admin().deadline(Duration.ofSeconds(60)).dropTable("afterzk");
        });
    }

    @Test
    @Order(4)
    void aServerJoinsUnderLoad() throws Exception {
        underLoad("rf3", () -> {
            cluster().startServer("server-5");
            await().atMost(PATIENCE).until(() -> client().routing().servers().size() == SERVERS + 1);
            cluster().daemon("server-5").terminate();
            assertThat(cluster().daemon("server-5").awaitExit()).isZero();
            await().atMost(PATIENCE).until(() -> client().routing().servers().size() == SERVERS);
            awaitReplicas("rf3", RF, SERVERS);
        });
    }

    @Test
    @Order(5)
    void aServerStopsOthersGoOnAndItWakesWithoutStaleAnswers() throws Exception {
        underLoad("rf3", () -> {
            cluster().daemon("server-2").pause();
            try {
                await().atMost(PATIENCE)
                        .until(() -> client().routing().servers().size() == SERVERS - 1);
                awaitReplicas("rf3", RF, SERVERS - 1);
            } finally {
                cluster().daemon("server-2").resume();
            }
            await().atMost(PATIENCE).until(() -> client().routing().servers().size() == SERVERS);
            awaitReplicas("rf3", RF, SERVERS);
        });
    }

    @Test
    @Order(6)
    void oneServerIsStoppedWhileAnotherDies() throws Exception {
        underLoad("rf3", () -> {
            cluster().daemon("server-3").pause();
            try {
                cluster().daemon("server-4").kill();
                await().atMost(PATIENCE).until(() -> everyActorHasALivePrimary("rf3", List.of("server-3", "server-4")));
            } finally {
                cluster().daemon("server-3").resume();
            }
            cluster().startServer("server-4");
            awaitReplicas("rf3", RF, SERVERS);
            awaitReplicas("rf2", 2, SERVERS);
        });
    }

    @Test
    @Order(7)
    void allProcessesDieAtOnceAndEveryAcknowledgedRowIsBack() throws Exception {
        CheckedLoad load = new CheckedLoad(client(), "rf2");
        load.start(1);
        await().atMost(PATIENCE).until(() -> load.writes.get() > 300);
        cluster().daemons().values().forEach(DaemonProcess::kill);
        Thread closer = new Thread(client()::close);
        closer.start();
        load.close();
        closer.join();
        cluster().startZooKeeper();
        cluster().startCoordinator("coordinator-1");
        for (int i = 1; i <= SERVERS; i++) {
            cluster().launchServer("server-" + i);
        }
        for (int i = 1; i <= SERVERS; i++) {
            cluster().await("server-" + i);
        }
        started.reconnect();
        load.verifyAll(client());
        assertThat(load.wrong).isEmpty();
    }

    @Test
    @Order(8)
    void theOnlyCoordinatorDiesAndQueriesAndUpdatesGoOn() throws Exception {
        awaitReplicas("rf2", 2, SERVERS);
        CheckedLoad load = new CheckedLoad(client(), "rf2");
        try (load) {
            load.start(2);
            await().atMost(PATIENCE).until(() -> load.reads.get() > 200 && load.writes.get() > 50);
            cluster().daemon("coordinator-1").kill();
            long reads = load.reads.get();
            long writes = load.writes.get();
            assertThatThrownBy(() -> client().admin()
                            .deadline(Duration.ofSeconds(5))
                            .createTable(
                                    TableSpec.named("leaderless").port("kv").hash(2)))
                    .isInstanceOf(UniserveException.class);
            await().atMost(PATIENCE).until(() -> load.reads.get() > reads + 200 && load.writes.get() > writes + 50);
            cluster().startCoordinator("coordinator-1");
            client().admin()
                    .deadline(Duration.ofSeconds(60))
                    .createTable(TableSpec.named("led").port("kv").hash(2).keyField("key"));
            load.close();
            load.verifyAll();
            assertThat(load.wrong).isEmpty();
            assertThat(load.failed).isEmpty();
        }
    }

    /** Requests that reach a stopped server wait in its sockets, and are the first ones that it handles afterwards. */
    @Test
    @Order(9)
    void aServerThatWakesGivesNoOldAnswerToRequestsThatWaited() throws Exception {
        awaitReplicas("rf3", RF, SERVERS);
        put("witness", 1);
        TableRoute route = client().admin().describeTable("rf3");
        int actor = route.meta().partitioner().actorOf(PartitionKey.of("witness"));
        ServerRecord primary = server(route.map().actors().get(actor).primary());
        String name = IntStream.rangeClosed(1, SERVERS)
                .mapToObj(i -> "server-" + i)
                .filter(server -> cluster().address(server).equals(primary.address()))
                .findAny()
                .orElseThrow();
        try (StaleRouteReader direct = new StaleRouteReader(client().routing().clusterId())) {
            assertThat(amounts(direct.get(primary.address(), route, actor, "witness")
                            .join()))
                    .containsExactly(1L);
            cluster().daemon(name).pause();
            List<CompletableFuture<Outcome<ReadReply>>> waiting = new ArrayList<>();
            try {
                await().atMost(PATIENCE)
                        .until(() -> client().routing().servers().size() == SERVERS - 1);
                put("witness", 2);
                TableRoute after = client().admin().describeTable("rf3");
                for (int i = 0; i < 20; i++) {
                    waiting.add(direct.get(primary.address(), i % 2 == 0 ? route : after, actor, "witness"));
                }
            } finally {
                cluster().daemon(name).resume();
            }
            for (CompletableFuture<Outcome<ReadReply>> reply : waiting) {
                assertThat(amounts(reply.join())).isSubsetOf(2L);
            }
        }
        awaitReplicas("rf3", RF, SERVERS);
    }

    private void put(String key, long amount) {
        client().table("rf3")
                .updateDocuments("kv.put@1", List.of(Map.of("key", key, "amount", amount)))
                .run()
                .orThrow();
    }

    private static List<Object> amounts(Outcome<ReadReply> reply) {
        return StaleRouteReader.documents(reply).stream()
                .map(document -> Objects.requireNonNull(document.fields().get("amount")))
                .toList();
    }

    private ServerRecord server(ServerId id) {
        return client().routing().servers().stream()
                .filter(record -> record.id().equals(id))
                .findAny()
                .orElseThrow();
    }

    private interface Faults {
        void run() throws Exception;
    }

    /** Runs the faults under load: no query fails, no answer is wrong, and reads and writes continue. */
    private void underLoad(String table, Faults faults) throws Exception {
        try (CheckedLoad load = new CheckedLoad(client(), table)) {
            load.start(2);
            await().atMost(PATIENCE).until(() -> load.reads.get() > 200 && load.writes.get() > 50);
            faults.run();
            long reads = load.reads.get();
            long writes = load.writes.get();
            await().atMost(PATIENCE).until(() -> load.reads.get() > reads + 200 && load.writes.get() > writes + 50);
            load.close();
            load.verifyAll();
            assertThat(load.wrong).as("wrong answers").isEmpty();
            assertThat(load.failed).as("failed queries").isEmpty();
        }
    }

    private void awaitReplicas(String table, int replicas, int servers) {
        await("replicas of " + table + " on " + servers + " servers")
                .atMost(PATIENCE)
                .until(() -> {
                    List<ServerId> live = client().routing().servers().stream()
                            .map(s -> s.id())
                            .toList();
                    return live.size() == servers
                            && actors(table).stream()
                                    .allMatch(actor -> actor.isr().stream()
                                                    .filter(live::contains)
                                                    .count()
                                            >= replicas);
                });
    }

    private boolean everyActorHasALivePrimary(String table, List<String> dead) {
        Map<String, ServerId> ids = client().routing().servers().stream()
                .collect(Collectors.toMap(server -> server.address().toString(), server -> server.id()));
        List<ServerId> gone = dead.stream()
                .map(name -> cluster().address(name).toString())
                .filter(ids::containsKey)
                .map(ids::get)
                .toList();
        List<ServerId> live = client().routing().servers().stream()
                .map(server -> server.id())
                .filter(id -> !gone.contains(id))
                .toList();
        return actors(table).stream().allMatch(actor -> live.contains(actor.primary()));
    }

    private List<ActorState> actors(String table) {
        return client().routing().tables().stream()
                .filter(route -> route.meta().name().value().equals(table))
                .map(TableRoute::map)
                .flatMap(map -> map.actors().stream())
                .toList();
    }
}
