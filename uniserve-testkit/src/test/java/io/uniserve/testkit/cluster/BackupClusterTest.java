package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.OnLoss;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups with real files: a server that is lost for good, durable storage without space, a dropped table. */
@Timeout(120)
class BackupClusterTest {
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final int ACTORS = 4;
    private static final int BATCHES = 40;
    private static final int BATCH_ROWS = 25;

    @TempDir
    Path directory;

    private LocalClusterBuilder builder(Path store) {
        return LocalCluster.builder()
                .servers(2)
                .engine(new KvEngine())
                .directory(directory.resolve("cluster"))
                .setting("storage.location", store.toString())
                .setting("server.checkpoint-entries", "10")
                .setting("server.log-shipping", "100ms")
                .setting("server.stop-grace", "0s")
                .setting("coordinator.loss-grace", "1s");
    }

    @Test
    void anotherServerHasEveryRowOfOneThatIsGoneForGood() throws IOException {
        Path store = directory.resolve("store");
        try (LocalCluster cluster = builder(store).start()) {
            ClientTable table = create(cluster);
            write(table, 0, BATCHES);
            await().atMost(Duration.ofSeconds(30)).until(() -> backedUp(cluster, ACTORS));
            write(table, BATCHES, BATCHES + 1);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> primaries(cluster).stream().allMatch(p -> p.lastIndex() == p.backupIndex()));
            cluster.stopAbruptly(1);
            wipe(directory.resolve("cluster/server-1"));
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> primaries(cluster).size() == ACTORS);
            assertThat(count(table)).isEqualTo((BATCHES + 1L) * BATCH_ROWS);
            write(table, BATCHES + 1, BATCHES + 10);
            assertThat(count(table)).isEqualTo((BATCHES + 10L) * BATCH_ROWS);
            await().atMost(Duration.ofSeconds(30)).until(() -> backedUp(cluster, ACTORS));
            cluster.client().admin().dropTable("t");
            // Only the mark of the deletion stays.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> objects(store).stream()
                            .map(file -> file.getFileName().toString())
                            .toList()
                            .equals(List.of("dropped~")));
            assertThat(cluster.failures()).isEmpty();
        }
    }

    @Test
    void storageWithoutRoomIsCaughtUpLater() throws IOException, InterruptedException {
        Path mount = Files.createDirectories(directory.resolve("small"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount.toString()), "mounting a tmpfs needs root");
        try (LocalCluster cluster = builder(mount.resolve("store")).start()) {
            ClientTable table = create(cluster);
            write(table, 0, 5);
            await().atMost(Duration.ofSeconds(30)).until(() -> lag(cluster) == 0);
            Path filler = fill(mount);
            write(table, 5, BATCHES);
            await().during(Duration.ofSeconds(2)).until(() -> lag(cluster) >= BATCHES - 10);
            assertThat(count(table)).isEqualTo((long) BATCHES * BATCH_ROWS);
            Files.delete(filler);
            await().atMost(Duration.ofSeconds(30)).until(() -> lag(cluster) == 0 && backedUp(cluster, ACTORS));
            assertThat(cluster.failures()).isEmpty();
        } finally {
            assertThat(run("umount", mount.toString())).isTrue();
        }
    }

    private static ClientTable create(LocalCluster cluster) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named("t")
                        .port(KvEngine.NAME)
                        .hash(ACTORS)
                        .replicas(1)
                        .onLoss(OnLoss.RESTORE_ACTOR));
        return cluster.client().table("t");
    }

    private static void write(ClientTable table, int from, int to) {
        for (int batch = from; batch < to; batch++) {
            List<Map<String, Object>> rows = new ArrayList<>();
            for (int i = 0; i < BATCH_ROWS; i++) {
                rows.add(Map.of("id", "k" + batch + "-" + i, "n", (long) i));
            }
            table.updateDocuments("kv.put@1", rows).run().orThrow();
        }
    }

    private static long count(ClientTable table) {
        return table.all()
                .retrieve(
                        COUNT,
                        "",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }

    private static boolean backedUp(LocalCluster cluster, int actors) {
        List<ReplicaLoad> primaries = primaries(cluster);
        return primaries.size() == actors
                && primaries.stream().allMatch(p -> p.backupCheckpointIndex() > p.lastIndex() - 25);
    }

    private static long lag(LocalCluster cluster) {
        return primaries(cluster).stream()
                .mapToLong(p -> p.lastIndex() - p.backupIndex())
                .max()
                .orElse(-1);
    }

    /** Primaries that accept updates, as their servers report them to the coordinator. */
    private static List<ReplicaLoad> primaries(LocalCluster cluster) {
        return cluster.client().admin().status().loads().stream()
                .flatMap(load -> load.replicas().stream())
                .filter(replica -> replica.role().equals(ReplicaLoad.PRIMARY))
                .toList();
    }

    private static List<Path> objects(Path store) throws IOException {
        try (Stream<Path> files = Files.walk(store)) {
            Path owner = store.resolve("owner");
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.startsWith(owner))
                    .toList();
        }
    }

    private static void wipe(Path server) throws IOException {
        try (Stream<Path> files = Files.walk(server)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }

    private static Path fill(Path mount) throws IOException {
        Path file = mount.resolve("filler");
        byte[] block = new byte[4096];
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
        return file;
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }
}
