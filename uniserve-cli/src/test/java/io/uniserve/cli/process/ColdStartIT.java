package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
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

/** Loss of every process, every disk and ZooKeeper at once; new machines start from durable storage alone. */
@Timeout(300)
class ColdStartIT {
    private static final int BATCHES = 30;
    static final int ROWS = 50;
    private static final Map<String, String> SETTINGS =
            Map.of("server.log-shipping", "200ms", "server.checkpoint-entries", "20");

    @TempDir
    Path directory;

    @Test
    void newMachinesServeWhatDurableStorageHas() throws IOException {
        Path first = Files.createDirectories(directory.resolve("first"));
        Path second = Files.createDirectories(directory.resolve("second"));
        try (StartedCluster lost = start(first, SETTINGS)) {
            lost.client()
                    .admin()
                    .createTable(TableSpec.named("t").port("kv").hash(4).replicas(2));
            lost.client()
                    .admin()
                    .createTable(TableSpec.named("u").port("kv").hash(2).replicas(1));
            lost.client()
                    .admin()
                    .createTable(TableSpec.named("a")
                            .port("kv")
                            .hash(3)
                            .replicas(2)
                            .level(ConsistencyLevel.FULLY_SERIALIZABLE));
            lost.client()
                    .admin()
                    .createTable(
                            TableSpec.named("d").port("kv").hash(2).replicas(2).durability(Durability.REMOTE));
            lost.client()
                    .admin()
                    .createTable(TableSpec.named("e")
                            .port("kv")
                            .hash(2)
                            .replicas(2)
                            .level(ConsistencyLevel.SERIALIZABLE)
                            .durability(Durability.REMOTE));
            write(lost.client(), "a", 0, BATCHES);
            write(lost.client(), "t", 0, BATCHES);
            write(lost.client(), "u", 0, 3);
            assertThat(run(lost, "backup", "t", "--name", "half").exit()).isZero();
            write(lost.client(), "t", BATCHES, 2 * BATCHES);
            await("everything is shipped").atMost(Duration.ofMinutes(1)).until(() -> shipped(lost.client()));
            write(lost.client(), "d", 0, BATCHES);
            write(lost.client(), "e", 0, BATCHES); // immediately before the loss
            lost.processes().daemons().values().forEach(DaemonProcess::kill);
        }
        Files.move(first.resolve("store"), second.resolve("store"));
        Map<String, String> takesOver = new TreeMap<>(SETTINGS);
        takesOver.put("storage.take-over", "true");
        try (StartedCluster fresh = start(second, takesOver)) {
            assertThat(fresh.log("server-1") + fresh.log("server-2")).contains("owner changes from cluster local");
            assertThat(fresh.client().admin().listTables()).isEmpty();
            TestingConsole.Run restored = run(fresh, "restore", "--all");
            assertThat(restored.err()).doesNotContain("uniserve:");
            assertThat(restored.out()).contains("restored table t from backup lost-t-1, 4 actors", "restored table u");
            assertThat(count(fresh.client(), "t")).isEqualTo(2L * BATCHES * ROWS);
            assertThat(count(fresh.client(), "u")).isEqualTo(3L * ROWS);
            assertThat(restored.out()).contains("restored table a from backup lost-a-3, 3 actors");
            assertThat(count(fresh.client(), "a")).as("atomic updates").isEqualTo((long) BATCHES * ROWS);
            assertThat(count(fresh.client(), "d")).as("durability REMOTE").isEqualTo((long) BATCHES * ROWS);
            assertThat(count(fresh.client(), "e")).as("both").isEqualTo((long) BATCHES * ROWS);
            write(fresh.client(), "a", BATCHES, BATCHES + 2);
            assertThat(count(fresh.client(), "a")).isEqualTo((BATCHES + 2L) * ROWS);
            assertThat(run(fresh, "restore", "half", "--as", "half").exit()).isZero();
            assertThat(count(fresh.client(), "half")).isEqualTo((long) BATCHES * ROWS);
            write(fresh.client(), "t", 2 * BATCHES, 2 * BATCHES + 2);
            assertThat(count(fresh.client(), "t")).isEqualTo((2L * BATCHES + 2) * ROWS);
            for (String name : List.of("half", "lost-t-1", "lost-u-2", "lost-a-3", "lost-d-4", "lost-e-5")) {
                assertThat(run(fresh, "backup", "--delete", name).exit()).isZero();
            }
            assertThat(fresh.files("store", "store/backup/local/1/")).isEmpty();
            assertThat(fresh.files("store", "store/archive/")).allMatch(file -> file.endsWith("deleted~"));
            assertThat(run(fresh, "restore", "--all").out()).contains("no table that this cluster does not have");
        }
    }

    private static StartedCluster start(Path root, Map<String, String> settings) {
        return StartedCluster.start(
                ProcessClusterOptions.of(root, 2, "kv").with(settings).withFastStart());
    }

    static TestingConsole.Run run(StartedCluster cluster, String... words) {
        List<String> command = new ArrayList<>(
                List.of("-b", String.join(",", cluster.processes().bootstrap())));
        command.addAll(List.of(words));
        return new TestingConsole(RemoteCluster::connect).run(command.toArray(String[]::new));
    }

    /** Writes the rows of these batches, {@value #ROWS} each. */
    static void write(UniserveClient client, String table, int from, int to) {
        for (int batch = from; batch < to; batch++) {
            List<Map<String, Object>> rows = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                rows.add(Map.of("id", "k" + batch + "-" + i, "n", (long) i));
            }
            client.table(table).updateDocuments("kv.put@1", rows).run().orThrow();
        }
    }

    static long count(UniserveClient client, String table) {
        String text = client.query(table, "count").body().utf8();
        return Long.parseLong(text.replaceAll("\\D", ""));
    }

    private static boolean shipped(UniserveClient client) {
        List<ReplicaLoad> primaries = client.admin().status().loads().stream()
                .flatMap(load -> load.replicas().stream())
                .filter(replica -> replica.role().equals(ReplicaLoad.PRIMARY))
                .toList();
        return primaries.size() == 13 && primaries.stream().allMatch(p -> p.backupIndex() == p.lastIndex());
    }
}
