package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Output of {@code status}, {@code ready} and {@code table describe} for a cluster that has lost a part. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LostRegistryIT {
    private static final int SERVERS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private StartedCluster started;

    @BeforeAll
    void start(@TempDir Path directory) {
        started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of("zookeeper.session-timeout", "3s", "server.lease", "1s"))
                .withFastStart());
        started.client()
                .admin()
                .createTable(TableSpec.named("words").port("kv").hash(2).replicas(2));
        started.client()
                .table("words")
                .updateDocuments(
                        "kv.put@1",
                        Stream.of("a", "b", "c")
                                .map(id -> Map.<String, Object>of("id", id))
                                .toList())
                .run()
                .orThrow();
    }

    @AfterAll
    void stop() {
        started.close();
    }

    private Run run(String... words) {
        return started.run(words);
    }

    private void awaitReady() {
        await("ready")
                .atMost(PATIENCE)
                .until(() -> run("ready", "--all", "--servers", "" + SERVERS).exit() == ExitCode.OK);
        await("ok").atMost(PATIENCE).until(() -> run("status").exit() == ExitCode.OK);
    }

    private Map<String, Integer> logged() {
        Map<String, Integer> lengths = new TreeMap<>();
        for (int i = 1; i <= SERVERS; i++) {
            lengths.put("server-" + i, started.log("server-" + i).length());
        }
        return lengths;
    }

    @Test
    @Order(1)
    void zooKeeperIsKilledAndComesBack() {
        awaitReady();
        Map<String, Integer> before = logged();
        started.processes().daemon("zookeeper").kill();
        await("every server warns")
                .atMost(PATIENCE)
                .untilAsserted(() -> before.forEach(
                        (server, length) -> assertThat(started.log(server).substring(length))
                                .containsPattern("WARN.*server .*: the connection to the registry was lost")));
        await("not ready").atMost(PATIENCE).until(() -> run("ready", "--all").exit() != ExitCode.OK);
        Run ready = run("ready", "--all");
        // The coordinator reports that its leadership is not confirmed, and after its session has expired that it does
        // not lead.
        assertThat(ready.exit()).isIn(ExitCode.NOT_PASSED, ExitCode.UNAVAILABLE);
        assertThat(ready.out() + ready.err()).contains("registry");
        Run status = run("status");
        assertThat(status.exit()).isIn(ExitCode.NOT_PASSED, ExitCode.UNAVAILABLE);
        assertThat(status.out() + status.err()).contains("registry");
        assertThat(run("table", "describe", "words").lines()).noneMatch(line -> line.endsWith(" ok"));
        started.processes().startZooKeeper();
        awaitReady();
    }

    @Test
    @Order(2)
    void durableStorageIsGoneAndComesBack() throws Exception {
        awaitReady();
        Path store = started.processes().directory().resolve("store");
        Path away = store.resolveSibling("away");
        Files.move(store, away);
        Files.createDirectory(store);
        started.client()
                .table("words")
                .updateDocuments(
                        "kv.put@1",
                        Stream.of("d", "e", "f", "g")
                                .map(id -> Map.<String, Object>of("id", id))
                                .toList())
                .run()
                .orThrow();
        await("the backup fails").atMost(PATIENCE).untilAsserted(() -> {
            Run status = run("status");
            assertThat(status.out()).contains("backup: FAILED", "the log cannot be stored");
            assertThat(status.exit()).isEqualTo(ExitCode.NOT_PASSED);
        });
        Run backup = run("backup", "words", "--name", "b");
        assertThat(backup.exit()).as(backup.out()).isNotEqualTo(ExitCode.OK);
        Files.delete(store);
        Files.move(away, store);
        awaitReady();
        assertThat(run("backup", "words", "--name", "b").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    @Order(3)
    void allCopiesOfAnActorAreGone() throws Exception {
        awaitReady();
        String folder =
                "/t" + started.client().admin().describeTable("words").map().tableId() + "-a1/";
        for (String server : logged().keySet()) {
            started.processes().daemon(server).kill();
        }
        for (String server : logged().keySet()) {
            for (Path file : started.files(server, folder)) {
                Files.delete(file);
            }
            started.processes().startServer(server);
        }
        await("both servers are live")
                .atMost(PATIENCE)
                .until(() -> run("status").lines().stream()
                                .filter(line -> line.contains(" kv "))
                                .count()
                        > SERVERS);
        await("nothing says ok of the table")
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UniserveException.class)
                .untilAsserted(() -> {
                    Run status = run("status");
                    assertThat(status.exit()).as(status.out()).isEqualTo(ExitCode.NOT_PASSED);
                    assertThat(status.lines())
                            .anyMatch(line -> line.startsWith("words ") && line.contains("unavailable: 1 of 2 actors"));
                });
        assertThat(run("ready", "--all").out()).contains("words/1 ");
        assertThat(run("table", "describe", "words").lines())
                .filteredOn(line -> line.startsWith("1 "))
                .noneMatch(line -> line.endsWith(" ok"));
    }
}
