package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.ExitCode;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.client.TableSpec;
import io.uniserve.model.RegistryValue;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.runtime.registry.CuratorRegistry;
import io.uniserve.runtime.registry.RegistryOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ZooKeeper loses a table, and then every table, of a server that goes on and is restarted: no file of it is deleted. */
class TrashIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int ROWS = 20;
    private static final TableName LOST = new TableName("lost");

    /** What ZooKeeper had of a table. */
    private record Nodes(RegistryValue meta, RegistryValue map) {}

    @Test
    void replicasOfLostTablesAreKeptAndReturn(@TempDir Path directory) throws Exception {
        try (StartedCluster started = StartedCluster.start(ProcessClusterOptions.of(directory, 1, "kv"));
                CuratorRegistry registry = registry(started)) {
            for (String table : List.of("lost", "kept")) {
                started.client()
                        .admin()
                        .createTable(TableSpec.named(table).port("kv").hash(1));
                fill(started, table);
            }
            long lost = number(started, "lost");
            long kept = number(started, "kept");

            Nodes nodes = lose(registry);
            await("it is in the trash")
                    .atMost(PATIENCE)
                    .until(() -> run(started, "trash", "list").out().contains("-t" + lost + "-a0-"));
            assertThat(started.log("server-1"))
                    .contains("WARN", "table lost replica t" + lost + "-a0: moved to the trash");
            assertThat(started.files("server-1", "files/trash/")).isNotEmpty();
            Run refused = run(started, "trash", "restore", "--table", "lost");
            assertThat(refused.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(refused.err()).contains("TABLE_NOT_FOUND", "bring the registry's data back");

            find(registry, nodes);
            await("it is back")
                    .atMost(PATIENCE)
                    .until(() -> run(started, "trash", "list").lines(), List.of("nothing is in the trash")::equals);
            started.processes().daemon("coordinator-1").kill();
            started.processes().startCoordinator("coordinator-1");
            await("its rows are there")
                    .atMost(PATIENCE)
                    .until(() -> run(started, "query", "lost", "count").out().contains("" + ROWS));

            assertThat(run(started, "table", "drop", "kept").exit()).isEqualTo(ExitCode.OK);
            await("a dropped table leaves nothing")
                    .atMost(PATIENCE)
                    .until(() -> started.files("server-1", "/t" + kept + "-a0/").isEmpty());
            assertThat(run(started, "trash", "list").lines()).containsExactly("nothing is in the trash");

            allIsLost(started, registry, lost);
        }
    }

    /** The last table is lost: the server that runs keeps its files, and does not start again. */
    private static void allIsLost(StartedCluster started, CuratorRegistry registry, long lost) throws Exception {
        Nodes nodes = lose(registry);
        await("it is said")
                .atMost(PATIENCE)
                .until(() -> started.log("server-1").contains("all of its 1 replicas are of tables"));
        List<Path> files = started.files("server-1", "/t" + lost + "-a0/");
        assertThat(files).isNotEmpty();
        assertThat(run(started, "trash", "list").out()).contains("all of its 1 replicas");
        DaemonProcess server = started.processes().daemon("server-1");
        server.kill();
        started.processes().launchServer("server-1");
        await("it is refused")
                .atMost(PATIENCE)
                .until(() -> started.log("server-1").contains("WRONG_CLUSTER: none of this server's 1 replicas"));
        assertThat(started.files("server-1", "/t" + lost + "-a0/")).containsAll(files);
        find(registry, nodes);
        await("the process has ended")
                .atMost(PATIENCE)
                .until(() -> !started.processes().daemon("server-1").isAlive());
        started.processes().startServer("server-1");
        await("its rows are there again")
                .atMost(PATIENCE)
                .until(() -> run(started, "query", "lost", "count").out().contains("" + ROWS));
    }

    private static void fill(StartedCluster started, String table) {
        started.client()
                .table(table)
                .updateDocuments(
                        "kv.put@1",
                        IntStream.range(0, ROWS)
                                .mapToObj(n -> Map.of("id", "k" + n, "n", (long) n))
                                .toList())
                .run()
                .orThrow();
    }

    private static long number(StartedCluster started, String table) {
        return started.client().admin().describeTable(table).meta().tableId();
    }

    private static Run run(StartedCluster started, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", started.processes().bootstrap())));
        return new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
    }

    private static CuratorRegistry registry(StartedCluster started) {
        String cluster = started.client().admin().status().routing().clusterId();
        return new CuratorRegistry(
                new RegistryOptions(
                        started.processes().address("zookeeper").toString(), cluster, 10_000, 10_000, Optional.empty()),
                Runnable::run);
    }

    private static Nodes lose(CuratorRegistry registry) throws Exception {
        Versioned meta = read(registry, RegistryPaths.meta(LOST));
        Versioned map = read(registry, RegistryPaths.map(LOST));
        write(
                registry,
                List.of(
                        new Op.Delete(RegistryPaths.map(LOST), map.version()),
                        new Op.Delete(RegistryPaths.meta(LOST), meta.version())));
        return new Nodes(Objects.requireNonNull(meta.value()), Objects.requireNonNull(map.value()));
    }

    private static void find(CuratorRegistry registry, Nodes nodes) throws Exception {
        write(
                registry,
                List.of(
                        new Op.Create(RegistryPaths.meta(LOST), nodes.meta(), false),
                        new Op.Create(RegistryPaths.map(LOST), nodes.map(), false)));
    }

    private static Versioned read(CuratorRegistry registry, String path) throws Exception {
        CompletableFuture<Outcome<Versioned>> read = new CompletableFuture<>();
        registry.read(path, read::complete);
        return ((Outcome.Ok<Versioned>) read.get(60, TimeUnit.SECONDS)).value();
    }

    private static void write(CuratorRegistry registry, List<Op> ops) throws Exception {
        CompletableFuture<Outcome<MultiResult>> written = new CompletableFuture<>();
        registry.multi(ops, written::complete);
        assertThat(((Outcome.Ok<MultiResult>) written.get(60, TimeUnit.SECONDS))
                        .value()
                        .applied())
                .isTrue();
    }
}
