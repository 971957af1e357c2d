package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.ExitCode;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.client.TableSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A running cluster whose ZooKeeper loses a table, whose durable storage is taken over by another cluster of its name, and whose
 * ZooKeeper is emptied at last: nothing is lost, and every command says what is wrong.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIdentityIT {
    private static final List<String> SERVERS = List.of("server-1", "server-2");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern IDENTITY = Pattern.compile("(?s).*identity=(\\S+).*");

    private Path root;
    private StartedCluster started;

    @BeforeAll
    void start(@TempDir Path directory) {
        root = directory;
        started = StartedCluster.start(options(directory.resolve("first"), SERVERS.size()));
        for (String table : List.of("kept", "gone")) {
            started.client()
                    .admin()
                    .createTable(TableSpec.named(table).port("kv").hash(2).replicas(2));
            started.client()
                    .table(table)
                    .updateDocuments(
                            "kv.put@1",
                            Stream.of("a", "b", "c", "d")
                                    .map(id -> Map.<String, Object>of("id", id))
                                    .toList())
                    .run()
                    .orThrow();
        }
    }

    @AfterAll
    void stop() {
        started.close();
    }

    private static ProcessClusterOptions options(Path directory, int servers) {
        return ProcessClusterOptions.of(directory, servers, "kv").brief();
    }

    private String identity(String cluster) throws IOException {
        Path file = root.resolve(cluster).resolve("server-1/files/cluster-identity");
        return IDENTITY.matcher(Files.readString(file)).replaceFirst("$1");
    }

    private void awaitReady() {
        await("ready")
                .atMost(PATIENCE)
                .until(() -> started.run("ready", "--all", "--servers", "" + SERVERS.size())
                                .exit()
                        == ExitCode.OK);
    }

    private void holds(String table) {
        await("rows of " + table)
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(started.run("query", table, "count").out()).contains("{\"count\":4}"));
    }

    /** Files of replicas, by name and size. */
    private Map<String, Long> replicas(String part) throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        for (String server : SERVERS) {
            for (Path file : started.files(server + "/files", part)) {
                sizes.put(root.relativize(file).toString(), Files.size(file));
            }
        }
        return sizes;
    }

    private long number(String table) {
        return started.client().admin().describeTable(table).map().tableId();
    }

    @Test
    @Order(1)
    void replicasOfATableThatZooKeeperLostGoToTheTrashAndComeBack() throws Exception {
        awaitReady();
        String folder = "/t" + number("gone") + "-a";
        try (TableNodes nodes = new TableNodes(started.processes().address("zookeeper"), "local", "gone")) {
            List<TableNodes.Node> taken = nodes.take();
            awaitTrash();
            assertThat(started.run("trash", "list").out()).contains("no tombstone says that one was dropped");
            Run early = started.run("trash", "restore", "--table", "gone");
            assertThat(early.exit()).as(early.out()).isNotEqualTo(ExitCode.OK);
            assertThat(early.err()).contains("TABLE_NOT_FOUND");

            nodes.put(taken);
            // Servers put replicas back by themselves, too, when they see the map.
            await("restored")
                    .atMost(PATIENCE)
                    .until(() ->
                            started.run("trash", "restore", "--table", "gone").exit() == ExitCode.OK);
            await("the trash is empty")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(started.run("trash", "list").lines())
                            .containsExactly("nothing is in the trash"));
            holds("gone");

            nodes.take();
            awaitTrash();
        }
        Run unsure = started.run("trash", "purge", "--table", "gone");
        assertThat(unsure.exit()).as(unsure.out()).isEqualTo(ExitCode.USAGE);
        awaitTrash();
        Run purge = started.run("trash", "purge", "--table", "gone", "--yes");
        assertThat(purge.exit()).as(purge.err()).isEqualTo(ExitCode.OK);
        assertThat(purge.lines()).hasSize(4).allMatch(line -> line.startsWith("purged "));
        assertThat(started.run("trash", "list").lines()).containsExactly("nothing is in the trash");
        assertThat(replicas(folder)).isEmpty();
        holds("kept");
    }

    /** Where all of a server's replicas are unknown the registry is at fault, not they. */
    @Test
    @Order(2)
    void replicasStayInPlaceWhereZooKeeperLostAllTables() throws Exception {
        holds("kept");
        String folder = "/t" + number("kept") + "-a";
        Map<String, Long> before = replicas(folder);
        try (TableNodes nodes = new TableNodes(started.processes().address("zookeeper"), "local", "kept")) {
            List<TableNodes.Node> taken = nodes.take();
            await("every server says that it holds them")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(started.run("trash", "list").lines())
                            .contains("nothing is in the trash")
                            .filteredOn(line -> line.contains(
                                    "all of its 2 replicas are of tables that ZooKeeper does" + " not know"))
                            .hasSize(SERVERS.size()));
            Run ready = started.run("ready", "--all");
            assertThat(ready.exit()).as(ready.out()).isNotEqualTo(ExitCode.OK);
            assertThat(ready.out()).contains("the registry does not know the tables of its 2 replicas");
            assertThat(replicas(folder)).isEqualTo(before);
            nodes.put(taken);
        }
        await("none is held")
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(started.run("trash", "list").lines()).containsExactly("nothing is in the trash"));
        holds("kept");
    }

    private void awaitTrash() {
        await("two replicas of each of two servers")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(started.run("trash", "list").lines())
                        .filteredOn(line -> line.contains(" gone "))
                        .hasSize(4));
    }

    @Test
    @Order(3)
    void anotherClusterOfTheNameIsRefusedByTheStoreAndNoticedWhereItTakesItOver() throws Exception {
        String identity = identity("first");
        Path second = Files.createDirectory(root.resolve("second"));
        Files.createSymbolicLink(second.resolve("store"), root.resolve("first/store"));
        assertThat(started.run("backup", "kept", "--name", "before").exit()).isEqualTo(ExitCode.OK);
        try (ProcessCluster other = new ProcessCluster(options(second, 1))) {
            other.startZooKeeper();
            other.startCoordinator("coordinator-1");
            other.launchServer("server-1");
            DaemonProcess refused = other.daemon("server-1");
            assertThat(refused.awaitExit()).as(refused.tail()).isEqualTo(ExitCode.REFUSED);
            await().untilAsserted(() -> assertThat(refused.tail())
                    .contains("uniserve: WRONG_CLUSTER: ", "with identity " + identity, "--take-over-store"));
            assertThat(started.run("backup", "kept", "--name", "between").exit())
                    .isEqualTo(ExitCode.OK);

            List<Path> objects = started.files("store/backup", "");
            assertThat(objects).isNotEmpty();
            other.launchServer("server-1", Map.of("storage.take-over", "true"));
            other.await("server-1");
            String taker = identity("second");
            assertThat(taker).isNotEqualTo(identity);
            Run backup = started.run("backup", "kept", "--name", "after");
            assertThat(backup.exit()).as(backup.out()).isNotEqualTo(ExitCode.OK);
            assertThat(backup.err()).contains("WRONG_CLUSTER", identity, taker);
            await("every server has noticed").atMost(PATIENCE).untilAsserted(() -> {
                Run status = started.run("status");
                assertThat(status.exit()).isEqualTo(ExitCode.NOT_PASSED);
                assertThat(status.out()).containsPattern(identity + ".*" + taker);
            });
            assertThat(started.files("store/backup", "")).containsAll(objects);
            holds("kept");
        }
    }

    @Test
    @Order(4)
    void anEmptiedZooKeeperIsNamedByEveryProcessAndNothingIsDeleted() throws Exception {
        String identity = identity("first");
        Map<String, Long> replicas = replicas("/t");
        ProcessCluster cluster = started.processes();
        cluster.daemon("zookeeper").kill();
        Files.move(root.resolve("first/zookeeper"), root.resolve("first/zookeeper-before"));
        cluster.startZooKeeper();
        for (String daemon : List.of("server-1", "server-2", "coordinator-1")) {
            await(daemon + " names the identities")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(started.log(daemon))
                            .containsPattern("ERROR .*identity " + identity + ", but cluster local in ZooKeeper .*"
                                    + " has no identity: .*Correct zookeeper.connect"));
        }
        for (String server : SERVERS) {
            assertThat(cluster.daemon(server).isAlive()).as(server).isTrue();
        }
        assertThat(started.run("status").exit()).isNotEqualTo(ExitCode.OK);
        assertThat(started.run("ready").exit()).isNotEqualTo(ExitCode.OK);
        assertThat(replicas("/t")).isEqualTo(replicas);

        for (String daemon : List.of("server-1", "server-2", "coordinator-1")) {
            cluster.daemon(daemon).close();
        }
        cluster.startCoordinator("coordinator-1");
        for (String server : SERVERS) {
            cluster.launchServer(server);
        }
        for (String server : SERVERS) {
            DaemonProcess refused = cluster.daemon(server);
            assertThat(refused.awaitExit()).as(refused.tail()).isEqualTo(ExitCode.REFUSED);
            await().untilAsserted(() -> assertThat(refused.tail())
                    .contains("uniserve: WRONG_CLUSTER: ", "with identity " + identity, "has identity "));
        }
        assertThat(started.run("status").exit()).isNotEqualTo(ExitCode.OK);
        assertThat(replicas("/t")).isEqualTo(replicas);
    }
}
