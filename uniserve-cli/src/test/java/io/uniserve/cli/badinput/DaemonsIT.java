package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.client.UniserveClient;
import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.error.ErrorCode;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.server.ServerDaemon;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Daemons that cannot join a running cluster, which is not affected. */
@ExtendWith(BadInputCluster.Shared.class)
@Timeout(120)
class DaemonsIT {
    private final BadInputCluster bad;

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    @TempDir
    private Path directory;

    DaemonsIT(BadInputCluster bad) {
        this.bad = bad;
    }

    private List<String> server(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "server",
                "--new",
                "--host",
                "127.0.0.1",
                "--zookeeper",
                bad.cluster.zooKeeper(),
                "--data",
                directory.resolve("data").toString(),
                "--ports-dir",
                Path.of(System.getProperty("uniserve.home"), "ports").toString()));
        words.addAll(List.of(more));
        return words;
    }

    @Test
    void aServerOnAPortThatIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            for (String used :
                    List.of(port, Integer.toString(bad.cluster.coordinator().port()))) {
                bad.refused(
                        ErrorCode.INVALID_CONFIGURATION,
                        server("--cluster", "dev", "--port", used),
                        used,
                        "choose another port");
            }
        }
    }

    /** A daemon cannot decide which name is correct: the two clusters stay separate, and clients get an error with the names. */
    @Test
    void aServerOfAnotherCluster() {
        ClusterState before = ClusterState.settled(bad.client);
        Settings settings = Settings.load(
                Optional.empty(),
                Map.of(
                        "uniserve.cluster",
                        "another",
                        "uniserve.zookeeper.connect",
                        bad.cluster.zooKeeper(),
                        "uniserve.server.new-data-dir",
                        "true",
                        "uniserve.server.host",
                        "127.0.0.1",
                        "uniserve.server.port",
                        "0",
                        "uniserve.server.data-dir",
                        directory.resolve("another").toString(),
                        "uniserve.coordinator.host",
                        "127.0.0.1",
                        "uniserve.coordinator.port",
                        "0"));
        try (CoordinatorDaemon begins = CoordinatorDaemon.start(settings, error -> failures.add(error));
                ServerDaemon other = ServerDaemon.start(
                        settings, Map.of("kv", LoadedPort.of(new KvEngine())), error -> failures.add(error))) {
            assertThat(begins.address()).isNotEqualTo(other.address());
            bad.refused(
                    ErrorCode.WRONG_CLUSTER,
                    () -> UniserveClient.builder()
                            .bootstrap(other.address().toString())
                            .clusterId("dev")
                            .build()
                            .close(),
                    "another",
                    "dev");
            assertThat(bad.client.routing().servers()).hasSize(2);
        }
        assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
        assertThat(failures).isEmpty();
    }
}
