package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.client.TableSpec;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole cluster with durable storage in a bucket is lost, while the bucket's server is killed and restarted; new machines start from it. */
@Timeout(300)
class S3ColdStartIT {
    private static final String ACCESS_KEY = "testing";
    private static final String SECRET_KEY = "testing-secret";
    private static final int BATCHES = 10;

    @TempDir
    Path directory;

    private Process gateway;
    private int port;

    @AfterEach
    void stop() {
        if (gateway != null) {
            gateway.destroyForcibly();
        }
    }

    private static Optional<Path> program() {
        String given = System.getProperty("uniserve.test.versitygw", "");
        return given.isEmpty()
                ? Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                        .map(folder -> Path.of(folder).resolve("versitygw"))
                        .filter(Files::isExecutable)
                        .findFirst()
                : Optional.of(Path.of(given));
    }

    private void startGateway(Path program) throws IOException {
        if (port == 0) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
        }
        Path buckets = directory.resolve("buckets");
        Files.createDirectories(buckets.resolve("backups"));
        ProcessBuilder builder =
                new ProcessBuilder(program.toString(), "--port", "127.0.0.1:" + port, "posix", buckets.toString());
        builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
        builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
        gateway = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("versitygw.log").toFile()))
                .start();
        await("versitygw").atMost(Duration.ofMinutes(1)).until(this::listens);
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private StartedCluster start(String name, boolean takesOver) throws IOException {
        Map<String, String> settings = new TreeMap<>(Map.of(
                "storage.location",
                "s3://backups/search?path-style=true&endpoint=http://127.0.0.1:" + port,
                "server.log-shipping",
                "200ms",
                "server.checkpoint-entries",
                "20"));
        if (takesOver) {
            settings.put("storage.take-over", "true");
        }
        ProcessClusterOptions options =
                ProcessClusterOptions.of(Files.createDirectories(directory.resolve(name)), 2, "kv");
        return StartedCluster.start(options.with(settings)
                .with(options.java()
                        .with("-Daws.accessKeyId=" + ACCESS_KEY)
                        .with("-Daws.secretAccessKey=" + SECRET_KEY)));
    }

    @Test
    void newMachinesServeWhatTheBucketHas() throws IOException {
        Optional<Path> program = program();
        assumeThat(program)
                .as("no versitygw on the PATH, and -Duniserve.test.versitygw is not set")
                .isPresent();
        startGateway(program.get());
        try (StartedCluster lost = start("first", false)) {
            TableSpec remote =
                    TableSpec.named("d").port("kv").hash(2).replicas(2).durability(Durability.REMOTE);
            lost.client().admin().createTable(remote);
            lost.client()
                    .admin()
                    .createTable(TableSpec.named("e")
                            .port("kv")
                            .hash(2)
                            .replicas(2)
                            .level(ConsistencyLevel.SERIALIZABLE)
                            .durability(Durability.REMOTE));
            ColdStartIT.write(lost.client(), "d", 0, BATCHES);
            gateway.destroyForcibly();
            gateway.onExit().join();
            startGateway(program.get());
            ColdStartIT.write(lost.client(), "d", BATCHES, 2 * BATCHES);
            ColdStartIT.write(lost.client(), "e", 0, BATCHES); // acknowledged immediately before the loss
            lost.processes().daemons().values().forEach(DaemonProcess::kill);
        }
        try (StartedCluster fresh = start("second", true)) {
            TestingConsole.Run restored = ColdStartIT.run(fresh, "restore", "--all");
            assertThat(restored.err()).doesNotContain("uniserve:");
            assertThat(ColdStartIT.count(fresh.client(), "d")).isEqualTo(2L * BATCHES * ColdStartIT.ROWS);
            assertThat(ColdStartIT.count(fresh.client(), "e")).isEqualTo((long) BATCHES * ColdStartIT.ROWS);
            ColdStartIT.write(fresh.client(), "d", 2 * BATCHES, 2 * BATCHES + 1);
            assertThat(ColdStartIT.count(fresh.client(), "d")).isEqualTo((2L * BATCHES + 1) * ColdStartIT.ROWS);
        }
    }
}
