package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.TableUpdate;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Full disks of real servers and their durable storage: refused operations, operations that continue, and recovery when there is room. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DiskFullIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int CHECKPOINT_ENTRIES = 40;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private TmpfsMount disk1;
    private TmpfsMount disk2;
    private TmpfsMount store;
    private StartedCluster started;
    private ProcessCluster cluster;
    private UniserveClient client;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        disk1 = opened(TmpfsMount.mount(directory.resolve("server-1"), 48));
        disk2 = opened(TmpfsMount.mount(directory.resolve("server-2"), 48));
        store = opened(TmpfsMount.mount(directory.resolve("store"), 48));
        started = opened(StartedCluster.start(ProcessClusterOptions.of(directory, 2, "kv")
                .with(Map.of("server.checkpoint-entries", "" + CHECKPOINT_ENTRIES))));
        cluster = started.processes();
        client = started.client();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    @AfterEach
    void free() throws IOException {
        disk1.free();
        disk2.free();
        store.free();
    }

    @AfterAll
    void stop() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private void table(String name) {
        await().atMost(PATIENCE).until(() -> client.routing().servers().size() == 2);
        client.admin().createTable(TableSpec.named(name).port("kv").hash(2).replicas(2));
    }

    private TableUpdate<?> put(String table, int from, int to, String text) {
        return client.table(table)
                .updateDocuments(
                        "kv.put@1",
                        IntStream.range(from, to)
                                .mapToObj(n -> Map.of("id", "k" + n, "text", text))
                                .toList())
                .deadline(Duration.ofSeconds(20));
    }

    /** A replica that has logged rows shows them shortly afterwards. */
    private void countIs(String table, int rows) {
        await().untilAsserted(() ->
                assertThat(client.query(table, "count").body().utf8()).isEqualTo("{\"count\":" + rows + "}"));
    }

    private TableMap map(String table) {
        return client.admin().describeTable(table).map();
    }

    private String log(String server) {
        return started.log(server);
    }

    private List<Path> files(String directory, String part) {
        return started.files(directory, part);
    }

    @Test
    void noRoomForTheLog(@TempDir Path local) throws Exception {
        table("logs");
        put("logs", 0, 100, "x").run().orThrow();
        TableMap before = map("logs");
        disk1.fill(0);
        disk2.fill(0);
        assertThatThrownBy(() -> put("logs", 50, 150, "y".repeat(8192)).run().orThrow())
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
        Path rows = Files.writeString(
                local.resolve("rows.jsonl"), "{\"id\":\"more\",\"text\":\"" + "z".repeat(8192) + "\"}\n");
        TestingConsole.Run load = new TestingConsole(RemoteCluster::connect)
                .run("-b", String.join(",", cluster.bootstrap()), "load", "logs", rows.toString());
        assertThat(load.err()).contains("DISK_FULL");
        assertThat(load.exit()).isEqualTo(ExitCode.EXHAUSTED);
        for (int i = 0; i < 20; i++) {
            countIs("logs", 100);
        }
        assertThat(client.query("logs", "get k70").body().utf8()).contains("\"x\"");
        assertThat(map("logs")).isEqualTo(before);
        free();
        put("logs", 50, 150, "y".repeat(8192)).run().orThrow();
        countIs("logs", 150);
        assertThat(log("server-1") + log("server-2")).contains("append failed");
    }

    @Test
    void noRoomForTheLogOfAFollower() throws Exception {
        table("follower");
        put("follower", 0, 100, "x").run().orThrow();
        disk2.fill(0);
        RequestId id = new RequestId(7, 7, 1);
        // The actors whose primary has room drop the full follower; those whose primary is the full server fail.
        long full = map("follower").actors().stream()
                .filter(actor -> started.daemon(actor.primary()).equals("server-2"))
                .count();
        var outcome = put("follower", 100, 150, "y".repeat(8192))
                .requestId(id)
                .deadline(Duration.ofSeconds(60))
                .run();
        assertThat(outcome.acked())
                .as("the full follower is taken out of the set")
                .hasSize(2 - (int) full);
        assertThat(outcome.failed())
                .extracting(failure -> failure.error().code())
                .isEqualTo(Collections.nCopies((int) full, ErrorCode.DISK_FULL));
        assertThat(client.query("follower", "get k70").body().utf8()).contains("\"x\"");
        free();
        put("follower", 100, 150, "y".repeat(8192)).requestId(id).run().orThrow();
        countIs("follower", 150);
    }

    @Test
    void noRoomForACheckpoint() throws Exception {
        table("checkpoints");
        int size = 256 << 10;
        put("checkpoints", 0, 32, "x".repeat(size)).run().orThrow();
        disk1.fill(1 << 20);
        disk2.fill(1 << 20);
        String before = log("server-1");
        for (int i = 0; i < 2 * CHECKPOINT_ENTRIES; i++) {
            put("checkpoints", 1_000, 1_008, "" + i).run().orThrow();
        }
        await().atMost(PATIENCE)
                .until(() -> log("server-1").substring(before.length()).contains("checkpoint failed"));
        countIs("checkpoints", 40);
        free();
        for (int i = 0; i < 2 * CHECKPOINT_ENTRIES; i++) {
            put("checkpoints", 1_000, 1_008, "" + i).run().orThrow();
        }
        await().atMost(PATIENCE).until(() -> !files("server-1", "manifest").isEmpty());
        cluster.daemon("server-1").kill();
        cluster.startServer("server-1");
        await().atMost(PATIENCE)
                .until(() -> map("checkpoints").actors().stream()
                        .allMatch(actor -> actor.isr().size() == 2));
        countIs("checkpoints", 40);
        assertThat(client.query("checkpoints", "get k31").body().utf8()).hasSizeGreaterThan(size);
    }

    @Test
    void noRoomForTheBackup() throws Exception {
        table("backups");
        put("backups", 0, 100, "x").run().orThrow();
        store.fill(0);
        String text = "y".repeat(8192);
        for (int i = 0; i < 10; i++) {
            put("backups", 100, 150, text).run().orThrow();
        }
        await().atMost(PATIENCE).until(() -> (log("server-1") + log("server-2")).contains("cannot be shipped"));
        countIs("backups", 150);
        int shipped = files("store", "/log/").size();
        free();
        await().atMost(PATIENCE).until(() -> files("store", "/log/").size() > shipped);
        put("backups", 150, 151, text).run().orThrow();
        countIs("backups", 151);
    }
}
