package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The auto-scaler with real processes. Coordinators and servers are killed; bounds of the number of servers, not loads, decide, so no decision
 * depends on the speed of the machine.
 */
class ScalingIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String COORDINATOR = "coordinator-1";
    private static final String TABLE = "pairs";

    @TempDir
    private Path directory;

    private Path servers() {
        return directory.resolve("scaled");
    }

    private Map<String, String> settings() {
        Map<String, String> all = FastScaler.settings("process");
        all.put(FastScaler.KEY + "process.directory", servers().toString());
        all.put(
                FastScaler.KEY + "process.command",
                String.join(",", JavaLauncher.ofThisProcess().commandLine("-Xmx256m", List.of("server"))));
        all.put(FastScaler.KEY + "process.arguments", "-S,server.capacity.cpu-cores=64,--host,127.0.0.1");
        all.put(FastScaler.KEY + "call-timeout", "3s");
        return all;
    }

    @Test
    void serversComeAndGoWhileCoordinatorsAndServersAreKilled() throws Exception {
        Map<String, String> first = settings();
        first.putAll(FastScaler.bounds(2, 3));
        try (ProcessCluster cluster =
                new ProcessCluster(ProcessClusterOptions.of(directory, 0, "kv").with(first))) {
            cluster.start();
            try (UniserveClient client = UniserveClient.builder()
                    .bootstrap(cluster.address(COORDINATOR).toString())
                    .connectTimeout(PATIENCE)
                    .build()) {
                await().atMost(PATIENCE).until(() -> joined(client).size() == 2);
                client.admin()
                        .createTable(TableSpec.named(TABLE).port("kv").hash(8).replicas(2));
                try (CheckedLoad load = new CheckedLoad(client, TABLE)) {
                    load.start(2);
                    await().atMost(PATIENCE).until(() -> load.writes.get() > 100 && load.reads.get() > 100);
                    restartCoordinator(cluster, FastScaler.bounds(3, 3));
                    await().atMost(PATIENCE).until(() -> joined(client).size() == 3);
                    assertThat(directories()).as("no launch was made twice").hasSize(3);
                    killAServer(client);
                    restartCoordinator(cluster, FastScaler.bounds(1, 2));
                    await("one has left")
                            .atMost(PATIENCE)
                            .until(() -> joined(client).size() == 2 && running() == 2);
                    load.close();
                    load.verifyAll();
                    assertThat(load.wrong).isEmpty();
                    assertThat(load.failed).isEmpty();
                }
                await().atMost(PATIENCE)
                        .until(() -> client.admin().describeTable(TABLE).map().actors().stream()
                                .allMatch(actor -> actor.isr().size() == 2));
                assertThat(client.admin().scaling().record().events()).hasSize(4);
            }
        } finally {
            for (Path server : directories()) {
                pid(server).flatMap(ProcessHandle::of).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    private static void restartCoordinator(ProcessCluster cluster, Map<String, String> bounds) {
        cluster.daemon(COORDINATOR).kill();
        cluster.launchCoordinator(COORDINATOR, bounds);
        cluster.await(COORDINATOR);
    }

    /** Kills a launched server; the auto-scaler starts it again with its data. */
    private void killAServer(UniserveClient client) throws IOException {
        Path server = directories().get(0);
        long before = pid(server).orElseThrow();
        ProcessHandle.of(before).orElseThrow().destroyForcibly();
        await("it runs again")
                .atMost(PATIENCE)
                .until(() -> pid(server)
                        .filter(pid -> pid != before)
                        .flatMap(ProcessHandle::of)
                        .isPresent());
        await("it has registered and its replicas are back")
                .atMost(PATIENCE)
                .until(() -> client.routing().servers().size() == 3
                        && client.admin().describeTable(TABLE).map().actors().stream()
                                .allMatch(actor -> actor.isr().size() == 2));
    }

    private static List<ScalingInstance> joined(UniserveClient client) {
        return client.admin().scaling().record().instances().stream()
                .filter(instance -> instance.state() == State.JOINED)
                .toList();
    }

    private List<Path> directories() throws IOException {
        if (!Files.exists(servers())) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(servers())) {
            return entries.sorted().toList();
        }
    }

    private long running() throws IOException {
        long count = 0;
        for (Path server : directories()) {
            count += pid(server)
                            .flatMap(ProcessHandle::of)
                            .filter(ProcessHandle::isAlive)
                            .isPresent()
                    ? 1
                    : 0;
        }
        return count;
    }

    private static Optional<Long> pid(Path server) throws IOException {
        Path file = server.resolve("pid");
        return Files.exists(file)
                ? Optional.of(Long.parseLong(Files.readString(file).strip()))
                : Optional.empty();
    }
}
