package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code scripts/rolling-restart} restarts every server of a cluster under reads and writes; no query fails. */
class RollingRestartIT {
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Path ROOT =
            Path.of(System.getProperty("uniserve.root", "..")).toAbsolutePath().normalize();

    @Test
    void everyServerInTurnWithoutAFailedOrWrongAnswer(@TempDir Path directory) throws Exception {
        ProcessClusterOptions options = ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of("server.drain-timeout", "3s", "server.stop-grace", "1s"));
        try (StartedCluster started = StartedCluster.start(options)) {
            started.client()
                    .admin()
                    .createTable(TableSpec.named("pairs").port("kv").hash(4).replicas(2));
            try (CheckedLoad load = new CheckedLoad(started.client(), "pairs")) {
                load.start(2);
                await().atMost(PATIENCE).until(() -> load.writes.get() > 200 && load.reads.get() > 200);
                List<String> restarted = restartAll(started, directory);
                assertThat(restarted).isEqualTo(started.processes().bootstrap());
                long reads = load.reads.get();
                await().atMost(PATIENCE).until(() -> load.reads.get() > reads + 100);
                load.close();
                load.verifyAll();
                assertThat(load.failed).isEmpty();
                assertThat(load.wrong).isEmpty();
                assertThat(load.refusedUpdates).isEmpty();
            }
            assertThat(new TestingConsole(RemoteCluster::connect)
                            .run(
                                    "ready",
                                    "nobody",
                                    "-b",
                                    started.processes().bootstrap().get(0))
                            .exit())
                    .isEqualTo(ExitCode.REFUSED);
        }
    }

    /** Answers the script's requests for restarts, which are files. Returns the servers in order. */
    private static List<String> restartAll(StartedCluster started, Path directory) throws Exception {
        Path ask = directory.resolve("ask");
        List<String> words = new ArrayList<>(List.of(
                ROOT.resolve("scripts").resolve("rolling-restart").toString(),
                "-t",
                "3m",
                "-c",
                "echo \"$1\" > " + ask + ".new; mv " + ask + ".new " + ask + "; while [ -e " + ask
                        + " ]; do sleep 0.1; done"));
        words.addAll(started.processes().bootstrap());
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("script.log").toFile());
        builder.environment().put("UNISERVE", ROOT.resolve("uniserve").toString());
        builder.environment().put("UNISERVE_HOME", System.getProperty("uniserve.home"));
        builder.environment().put("UNISERVE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        Process script = builder.start();
        List<String> asked = new ArrayList<>();
        try {
            while (asked.size() < SERVERS) {
                await("the script asks for a restart")
                        .atMost(PATIENCE)
                        .until(() -> Files.exists(ask) || !script.isAlive());
                assertThat(script.isAlive())
                        .as(Files.readString(directory.resolve("script.log")))
                        .isTrue();
                String server = Files.readString(ask).strip();
                asked.add(server);
                restart(started, server);
                Files.delete(ask);
            }
            assertThat(script.waitFor())
                    .as(Files.readString(directory.resolve("script.log")))
                    .isZero();
            return asked;
        } finally {
            script.destroyForcibly();
        }
    }

    private static void restart(StartedCluster started, String server) {
        ProcessCluster processes = started.processes();
        String name = processes.daemons().keySet().stream()
                .filter(daemon -> daemon.startsWith("server-")
                        && processes.address(daemon).toString().equals(server))
                .findFirst()
                .orElseThrow();
        processes.daemon(name).terminate();
        processes.daemon(name).awaitExit();
        processes.launchServer(name);
        processes.await(name);
    }
}
