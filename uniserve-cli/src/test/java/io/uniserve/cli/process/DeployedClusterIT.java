package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes on all interfaces with the settings of {@code deploy/systemd/uniserve.conf} and identities made as docs/manual/deploy.md says: a user
 * with a certificate is served, a caller without one is not, and the table's creation stands in the audit log.
 */
class DeployedClusterIT {
    private static final String TABLE = "pairs";
    private static final String IDENTITY = "/etc/uniserve/identity";
    private static final String AUDIT = "/var/lib/uniserve/audit";
    private static final String ENSEMBLE = "zk1:2181,zk2:2181,zk3:2181";
    private static final long START_MS = 120_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration REFUSED = Duration.ofSeconds(3);

    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));

    private final Deque<DaemonProcess> processes = new ArrayDeque<>();
    private final TestingConsole uniserve = TestingConsole.alone();

    @TempDir
    private Path directory;

    @AfterEach
    void stop() {
        processes.forEach(DaemonProcess::close);
    }

    private Path folder(String name) {
        return directory.resolve(name);
    }

    private void command(String... words) {
        assertThat(uniserve.run(words).exit()).as(String.join(" ", words)).isEqualTo(ExitCode.OK);
    }

    /** Makes the identity of a machine and puts it into the machine's folder. */
    private void installIdentity(String machine) throws IOException {
        String authority = folder("authority").toString();
        Path made = folder("made").resolve(machine);
        command("security", "issue", "server", machine, "--authority", authority, "--out", made.toString());
        Path identity = Files.createDirectories(folder(machine).resolve("identity"));
        install(made.resolve(machine + ".pem"), identity.resolve("certificate.pem"));
        install(made.resolve(machine + ".key"), identity.resolve("key.pem"));
        install(made.resolve("trust.pem"), identity.resolve("trust.pem"));
    }

    private static void install(Path from, Path to) throws IOException {
        Files.copy(from, to);
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rw-------"));
    }

    /** Writes the settings of systemd's units for a machine; only paths and ZooKeeper's address differ. */
    private String settings(String machine, Address zookeeper) throws IOException {
        String text =
                Files.readString(Path.of(System.getProperty("uniserve.home"), "deploy", "systemd", "uniserve.conf"));
        assertThat(text).contains(IDENTITY + "/key.pem", ENSEMBLE, "mode = closed", AUDIT);
        Path file = folder(machine).resolve("uniserve.conf");
        Files.writeString(
                file,
                text.replace(IDENTITY, folder(machine).resolve("identity").toString())
                        .replace(AUDIT, folder(machine).resolve("audit").toString())
                        .replace(ENSEMBLE, zookeeper.toString()));
        return file.toString();
    }

    private static List<String> line(String heap, String... words) {
        return JavaLauncher.ofThisProcess().with("-XX:TieredStopAtLevel=1").commandLine(heap, List.of(words));
    }

    private DaemonProcess launch(String name, String heap, String... words) {
        DaemonProcess process = DaemonProcess.start(name, line(heap, words), directory.resolve(name + ".log"));
        processes.push(process);
        return process;
    }

    private DaemonProcess launchServer(String machine, Address zookeeper) throws IOException {
        String data = folder(machine).resolve("data").toString();
        String config = settings(machine, zookeeper);
        return launch(machine, "-Xmx256m", "server", "--config", config, "--data", data, "--new", "--port", "0");
    }

    private int status(Address bootstrap, String... tls) throws Exception {
        List<String> words = new ArrayList<>(List.of("status", "-b", bootstrap.toString()));
        words.addAll(List.of(tls));
        Path output = Files.createTempFile(directory, "status", ".log");
        return new ProcessBuilder(line("-Xmx128m", words.toArray(String[]::new)))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
    }

    private static UniserveClient client(Address bootstrap, TlsFiles tls, Duration patience) {
        return UniserveClient.builder()
                .bootstrap(bootstrap.toString())
                .connectTimeout(patience)
                .tls(tls)
                .build();
    }

    @Test
    void usersAreServedAndStrangersAreNot() throws Exception {
        String authority = folder("authority").toString();
        command("security", "init", authority, "--cluster", "uniserve");
        for (String machine : List.of("node1", "node2", "node3")) {
            installIdentity(machine);
        }
        Path admin = folder("admin");
        command("security", "issue", "user", "admin", "--authority", authority, "--out", admin.toString());
        Path trust = admin.resolve("trust.pem");
        TlsFiles user = new TlsFiles(
                true,
                Optional.of(admin.resolve("admin.pem")),
                Optional.of(admin.resolve("admin.key")),
                Optional.of(trust),
                false);
        TlsFiles stranger = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(trust), false);

        String data = folder("zookeeper").toString();
        Address zookeeper = launch(
                        "zookeeper", "-Xmx128m", "zookeeper", "--host", "127.0.0.1", "--port", "0", "--data", data)
                .awaitReady(START_MS);
        String config = settings("node1", zookeeper);
        DaemonProcess coordinator = launch("node1", "-Xmx128m", "coordinator", "--config", config, "--port", "0");
        List<DaemonProcess> servers = List.of(launchServer("node2", zookeeper), launchServer("node3", zookeeper));
        Address first = coordinator.awaitReady(START_MS);
        servers.forEach(server -> server.awaitReady(START_MS));

        try (UniserveClient client = client(first, user, PATIENCE)) {
            client.admin().createTable(TableSpec.named(TABLE).port("kv").hash(4).replicas(2));
            client.table(TABLE)
                    .update("kv.put@1", Document.CODEC, List.of(new Document("key", Map.of("key", "a"))))
                    .run()
                    .orThrow();
            List<Document> found = client.table(TABLE).key("a").retrieve(GET, "a", values -> values.get(0));
            assertThat(found).hasSize(1);
        }
        for (Address address : List.of(first, servers.get(0).awaitReady(START_MS))) {
            for (TlsFiles without : List.of(stranger, TlsFiles.PLAIN)) {
                assertThatThrownBy(() -> client(address, without, REFUSED).close())
                        .isInstanceOf(UniserveException.class);
            }
        }
        String trusted = trust.toString();
        String certificate = admin.resolve("admin.pem").toString();
        String key = admin.resolve("admin.key").toString();
        assertThat(status(first, "--tls-trust", trusted, "--tls-certificate", certificate, "--tls-key", key))
                .isEqualTo(ExitCode.OK);
        assertThat(status(first, "--tls-trust", trusted))
                .as("the process says that the caller has no identity")
                .isEqualTo(ExitCode.REFUSED);
        String audit = folder("node1").resolve("audit").resolve("coordinator").toString();
        command("audit", "verify", audit);
        assertThat(uniserve.run("audit", "tail", audit, "--principal", "user/admin", "-o", "json")
                        .out())
                .contains("\"create_table\"", "\"" + TABLE + "\"");
    }
}
