package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.ExitCode;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.client.TableSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * ZooKeeper is replaced by an empty one while servers run, a new cluster of the same name begins there, and servers of the old one,
 * and one on its durable storage, are started with it. Nothing is deleted, and back at the first ZooKeeper every row is there.
 */
@Timeout(300)
class ClusterIdentityIT {
    private static final int ROWS = 300;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<String> SERVERS = List.of("server-1", "server-2");

    @TempDir
    Path directory;

    @Test
    void anotherZooKeeperOfTheSameNameLosesNothing() throws IOException {
        try (StartedCluster cluster = StartedCluster.start(ProcessClusterOptions.of(directory, 2, "kv")
                .with(Map.of(
                        "zookeeper.session-timeout",
                        "3s",
                        "server.lease",
                        "1s",
                        "server.log-shipping",
                        "200ms",
                        "server.drain-timeout",
                        "1s")))) {
            fill(cluster);
            String identity = identity("server-1");
            assertThat(identity("server-2")).isEqualTo(identity);
            Map<String, Integer> before = replicaFiles(cluster);
            ProcessCluster processes = cluster.processes();
            Path data = directory.resolve("zookeeper");
            Path kept = directory.resolve("zookeeper-kept");
            processes.daemon("zookeeper").kill();
            Files.move(data, kept);
            processes.startZooKeeper();
            serversLeave(cluster, identity);
            assertThat(replicaFiles(cluster)).isEqualTo(before);
            processes.daemon("coordinator-1").kill();

            processes.startCoordinator("coordinator-2");
            for (String server : SERVERS) {
                processes.daemon(server).kill();
                processes.launchServer(server);
                assertThat(processes.daemon(server).awaitExit()).isEqualTo(ExitCode.REFUSED);
                assertThat(processes.daemon(server).tail())
                        .contains("uniserve: WRONG_CLUSTER: ", identity, "Nothing is changed", "zookeeper.connect");
            }
            processes.launchServer("server-3");
            assertThat(processes.daemon("server-3").awaitExit()).isEqualTo(ExitCode.REFUSED);
            assertThat(processes.daemon("server-3").tail())
                    .contains("uniserve: WRONG_CLUSTER: ", identity, "durable storage", "--take-over-store");
            assertThat(replicaFiles(cluster)).isEqualTo(before);

            processes.daemon("coordinator-2").kill();
            processes.daemon("zookeeper").kill();
            Files.move(data, directory.resolve("zookeeper-other"));
            Files.move(kept, data);
            processes.startZooKeeper();
            processes.startCoordinator("coordinator-1");
            SERVERS.forEach(processes::startServer);
            cluster.client().close();
            cluster.reconnect();
            await("every row is back")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(
                                    cluster.client().query("t", "count").body().utf8())
                            .isEqualTo("{\"count\":" + ROWS + "}"));
            assertThat(replicaFiles(cluster).keySet()).containsAll(before.keySet());
        }
    }

    private static void fill(StartedCluster cluster) {
        cluster.client().admin().createTable(TableSpec.named("t").port("kv").hash(4).replicas(2));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(Map.of("id", "row-" + i, "n", (long) i));
        }
        cluster.client().table("t").updateDocuments("kv.put@1", rows).run().orThrow();
        await("it is shipped")
                .atMost(PATIENCE)
                .until(() -> cluster.files("store", "store/backup/").size() >= 4);
    }

    /** The first server that reaches the empty ZooKeeper says why it answers nothing; ZooKeeper may keep others waiting. */
    private static void serversLeave(StartedCluster cluster, String identity) {
        await("a server leaves service")
                .atMost(PATIENCE)
                .until(() -> SERVERS.stream()
                        .anyMatch(server -> cluster.log(server).contains("has left service")));
        String left = SERVERS.stream()
                .filter(server -> cluster.log(server).contains("has left service"))
                .findFirst()
                .orElseThrow();
        assertThat(cluster.log(left)).contains("ERROR", "WRONG_CLUSTER", identity, "has no identity");
        assertThat(cluster.processes().daemon(left).isAlive()).isTrue();
        TestingConsole.Run run = new TestingConsole(RemoteCluster::connect)
                .run("-b", cluster.processes().address(left).toString(), "ready", "--all");
        assertThat(run.exit()).as(run.out()).isNotZero();
        assertThat(run.err()).contains("WRONG_CLUSTER", identity);
    }

    private String identity(String server) throws IOException {
        return Files.readString(directory.resolve(server).resolve("files/cluster-identity"))
                .replaceAll("(?s).*identity=(\\S+).*", "$1");
    }

    /** How many files each replica has. */
    private Map<String, Integer> replicaFiles(StartedCluster cluster) {
        TreeMap<String, Integer> files = new TreeMap<>();
        for (String server : SERVERS) {
            for (Path file : cluster.files(server, "/files/t")) {
                Path name = directory.resolve(server).resolve("files").relativize(file).getName(0);
                files.merge(server + "/" + name, 1, Integer::sum);
            }
        }
        assertThat(files).hasSize(8);
        return files;
    }
}
