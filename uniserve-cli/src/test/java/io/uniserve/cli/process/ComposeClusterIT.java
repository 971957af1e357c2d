package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.registry.access.ZooKeeperConnection;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.testkit.process.DaemonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with the commands of {@code deploy/docker/compose.yaml}, the settings of the image and the identities of its script, ZooKeeper among
 * them. A folder stands for each volume, and only paths, ports and ZooKeeper's host name differ.
 */
class ComposeClusterIT {
    private static final String CONFIG = "/etc/uniserve/uniserve.conf";
    private static final String IDENTITY = "/etc/uniserve/identity";
    private static final String AUTHORITY = "/etc/uniserve/authority";
    private static final String DATA = "/var/lib/uniserve";
    private static final String PORTS = "/opt/uniserve/ports";
    private static final String ZOOKEEPER = "zookeeper:2281";

    @TempDir
    private Path directory;

    private TestingDeployment containers;
    private String compose;

    @BeforeEach
    void prepare() throws IOException {
        containers = new TestingDeployment(directory);
        compose = containers.deployed("docker/compose.yaml");
    }

    @AfterEach
    void stop() {
        containers.close();
    }

    /** First command after a line of the compose file. */
    private List<String> command(String line) throws IOException {
        Matcher command = Pattern.compile("command: (\\[.*])").matcher(compose);
        assertThat(compose).contains("\n" + line + "\n");
        assertThat(command.find(compose.indexOf("\n" + line + "\n"))).isTrue();
        return List.of(new ObjectMapper().readValue(command.group(1), String[].class));
    }

    private Path identity(String container) {
        return containers.folder("identities").resolve(container);
    }

    private Path authority() {
        return containers.folder("authority").resolve("authority");
    }

    /** Writes the settings of the image for a container. */
    private Path settings(String container, String zookeeper) throws IOException {
        String text = containers.deployed("docker/uniserve.conf");
        assertThat(text).contains(IDENTITY, DATA, PORTS, ZOOKEEPER);
        Path volume = Files.createDirectories(containers.folder(container));
        return Files.writeString(
                containers.folder(container + ".conf"),
                text.replace(IDENTITY, identity(container).toString())
                        .replace(DATA, volume.toString())
                        .replace(PORTS, containers.home().resolve("ports").toString())
                        .replace(ZOOKEEPER, zookeeper));
    }

    private DaemonProcess launch(String container, String line, Path config, String... more) throws IOException {
        List<String> words = new ArrayList<>();
        for (String word : command(line)) {
            words.add(word.replace(CONFIG, config.toString())
                    .replace(AUTHORITY, authority().toString()));
        }
        words.addAll(List.of(more));
        words.addAll(List.of("--port", "0"));
        return containers.launch(container, "-Xmx256m", words);
    }

    private DaemonProcess launch(String container, String zookeeper) throws IOException {
        String line = container.startsWith("coordinator") ? "x-coordinator: &coordinator" : "x-server: &server";
        return launch(container, line, settings(container, zookeeper), "-S", "metrics.prometheus.port=0");
    }

    /** Runs the script of the container {@code identities}. */
    private void makeIdentities() throws Exception {
        Path volume = Files.createDirectories(containers.folder("authority"));
        List<String> words = new ArrayList<>(List.of(
                "bash", containers.home().resolve("deploy/docker/identities.sh").toString()));
        for (String name : command("  identities:")) {
            words.add(name.replace("zookeeper:zookeeper", "zookeeper:localhost"));
        }
        assertThat(words).contains("coordinator-1", "server-2", "zookeeper:localhost", "user:client");
        TestingDeployment.Ended ended = containers.program(
                Map.of(
                        "UNISERVE", containers.home().resolve("uniserve").toString(),
                        "UNISERVE_JAVA_OPTS", "-Xmx64m -XX:TieredStopAtLevel=1",
                        "AUTHORITY", authority().toString(),
                        "PASSWORD", volume.resolve("zookeeper-password").toString(),
                        "IDENTITIES", Files.createDirectories(identity("")).toString()),
                words);
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(identity("server-1").resolve("zookeeper-password"))
                .hasSameTextualContentAs(identity("coordinator-1").resolve("zookeeper-password"));
        for (String without : List.of("client", "localhost")) {
            assertThat(identity(without).resolve("zookeeper-password")).doesNotExist();
        }
        for (Path secret : List.of(
                identity("server-1").resolve("zookeeper-password"), authority().resolve("authority.key"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void theContainersMakeAClosedCluster() throws Exception {
        makeIdentities();
        for (String process : List.of("coordinator-1", "server-1", "server-2")) {
            containers.issueOld(process, authority(), identity(process));
        }
        Path ofZooKeeper = settings("localhost", "localhost:2281");
        Address zookeeper = launch("localhost", "  zookeeper:", ofZooKeeper).awaitReady(TestingDeployment.START_MS);
        String connect = "localhost:" + zookeeper.port();

        DaemonProcess coordinator = launch("coordinator-1", connect);
        List<DaemonProcess> servers = List.of(launch("server-1", connect), launch("server-2", connect));
        Address first = coordinator.awaitReady(TestingDeployment.START_MS);
        Address server = servers.get(0).awaitReady(TestingDeployment.START_MS);
        servers.get(1).awaitReady(TestingDeployment.START_MS);

        Path client = identity("client");
        TlsFiles user = TestingDeployment.tls(
                client.resolve("certificate.pem"), client.resolve("key.pem"), client.resolve("trust.pem"));
        containers.assertServes(user, 3, first, server);
        containers.assertAudited(containers.folder("coordinator-1").resolve("audit/coordinator"), "user/client");
        containers.command(
                "audit",
                "verify",
                containers.folder("server-1").resolve("audit/server").toString());

        Path config = containers.folder("server-1.conf");
        containers.assertZooKeeperIsOwned(config, Map.of("uniserve.zookeeper.access.scheme", ""));
        assertRefusedByZooKeeper(config, Map.of("uniserve.zookeeper.tls.enabled", "false"));
        assertRefusedByZooKeeper(
                config,
                Map.of(
                        "uniserve.zookeeper.embedded.tls.enabled", "false",
                        "uniserve.tls.certificate-file", "",
                        "uniserve.tls.key-file", ""));
    }

    /** ZooKeeper accepts no connection without TLS, and none without a certificate. */
    private static void assertRefusedByZooKeeper(Path config, Map<String, String> overrides) {
        Settings outside = Settings.load(Optional.of(config), overrides);
        assertThatThrownBy(() -> ZooKeeperConnection.open(
                                ZooKeeperSecurity.of(outside.zookeeper()),
                                outside.zookeeper().connect(),
                                6_000,
                                3_000)
                        .close())
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("no server accepts");
    }
}
