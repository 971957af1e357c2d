package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code uniserve server} on a data directory that it must not use: exit code and message; the directory and the cluster do not change. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DataDirectoryIT {
    private Path root;
    private StartedCluster started;
    private ProcessCluster cluster;
    private UniserveClient client;

    @BeforeAll
    void start(@TempDir Path directory) {
        root = directory;
        started = StartedCluster.start(ProcessClusterOptions.of(directory, 2, "kv")
                .with(Map.of("zookeeper.session-timeout", "3s", "server.lease", "1s"))
                .withFastStart());
        cluster = started.processes();
        client = started.client();
        client.admin().createTable(TableSpec.named("t").port("kv").hash(4).replicas(2));
        client.table("t")
                .updateDocuments("kv.put@1", List.of(Map.of("id", "a"), Map.of("id", "b")))
                .run()
                .orThrow();
    }

    @AfterAll
    void stop() {
        started.close();
    }

    @Test
    void aMissingOrEmptyDirectoryMayBeAVolumeThatIsNotMounted() throws IOException {
        Path missing = root.resolve("missing");
        refused(missing, List.of(), "INVALID_CONFIGURATION", "does not exist", "the mount", "--new");
        assertThat(missing).doesNotExist();
        Path unmounted = Files.createDirectory(root.resolve("unmounted"));
        refused(unmounted, List.of(), "INVALID_CONFIGURATION", "is empty", "the mount", "--new");
        Path deep = root.resolve("none/deep");
        refused(deep, List.of("--new"), "INVALID_CONFIGURATION", "there is no directory", "none");
        assertThat(root.resolve("none")).doesNotExist();
    }

    @Test
    void aDirectoryOfSomethingElse() throws IOException {
        Path home = root.resolve("home");
        Files.createDirectories(home.resolve("scratch"));
        Files.writeString(home.resolve("scratch/precious"), "x");
        refused(home, List.of("--new"), "INVALID_CONFIGURATION", "has no server.id but scratch");
        assertThat(home.resolve("scratch/precious")).hasContent("x");
    }

    @Test
    void aDirectoryThatIsInUse() {
        refused(data("server-1"), List.of(), "INVALID_CONFIGURATION", "in use by another process");
    }

    @Test
    void aDirectoryOfAnotherCluster() throws IOException {
        Path copy = copy("server-1", "foreign");
        refused(copy, List.of("--cluster", "other"), "WRONG_CLUSTER", "belongs to cluster local, not other");
    }

    @Test
    void aDamagedIdentity() throws IOException {
        Path copy = copy("server-1", "damaged");
        Files.writeString(copy.resolve("server.id"), "\u0000\u0001");
        DaemonProcess daemon = run(copy, List.of());
        assertThat(daemon.awaitExit()).isEqualTo(ExitCode.FAULT);
        assertThat(daemon.tail()).contains("uniserve: CORRUPT: ", "server.id is damaged");
    }

    @Test
    void aReadOnlyDirectory() throws IOException, InterruptedException {
        Path copy = copy("server-1", "read-only");
        List<String> prefix = List.of();
        if (Files.isWritable(Path.of("/"))) {
            // Root may write anywhere; another user may not.
            prefix = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
            assumeThat(runs(prefix))
                    .as("setpriv, and the distribution readable by all")
                    .isTrue();
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            refused(prefix, copy, List.of(), "INVALID_CONFIGURATION", "is read-only; check owner, mode and mount");
        } finally {
            Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static boolean runs(List<String> prefix) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(prefix);
        words.addAll(List.of(
                "test", "-r", JavaLauncher.ofThisProcess().home().resolve("lib").toString()));
        return new ProcessBuilder(words).start().waitFor() == 0;
    }

    /** Both started once since the copy was made, so their incarnations are equal; then the copy is one start ahead. */
    @Test
    void aCopyBesideItsOriginal() throws IOException {
        ServerRecord ended = record("server-2");
        cluster.daemon("server-2").kill();
        Path copy = copy("server-2", "copy");
        cluster.startServer("server-2");
        awaitNext("server-2", ended);
        String address = cluster.address("server-2").toString();
        for (int start = 0; start < 3; start++) {
            List<ServerRecord> before = client.routing().servers();
            DaemonProcess daemon = run(copy, List.of());
            assertThat(daemon.awaitExit()).as(daemon.tail()).isEqualTo(ExitCode.REFUSED);
            assertThat(daemon.tail())
                    .contains("uniserve: INVALID_CONFIGURATION: ", "is in use at " + address, "copied");
            assertThat(client.routing().servers()).isEqualTo(before);
            assertThat(cluster.daemon("server-2").isAlive()).isTrue();
            rowsAreThere();
        }
    }

    /** The directory is the identity: at another address it is the same server, with its data. */
    @Test
    void theDirectoryOfAServerThatIsDown() {
        ServerRecord ended = record("server-1");
        cluster.daemon("server-1").kill();
        DaemonProcess moved = run(data("server-1"), List.of());
        String address = moved.awaitReady(60_000).toString();
        ServerRecord elsewhere = awaitNext("server-1", ended);
        assertThat(elsewhere.address()).hasToString(address);
        moved.close();
        cluster.startServer("server-1");
        awaitNext("server-1", elsewhere);
        rowsAreThere();
    }

    private ServerRecord record(String server) {
        String id = identity(server);
        return client.routing().servers().stream()
                .filter(record -> record.id().value().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the record of the restarted server; until then the client may still see the old one. */
    private ServerRecord awaitNext(String server, ServerRecord ended) {
        String id = identity(server);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> client.routing().servers().stream()
                        .anyMatch(record ->
                                record.id().value().equals(id) && record.incarnation() > ended.incarnation()));
        return record(server);
    }

    private void refused(Path data, List<String> more, String code, String... words) {
        refused(List.of(), data, more, code, words);
    }

    private void refused(List<String> prefix, Path data, List<String> more, String code, String... words) {
        Map<String, String> before = contents(data);
        List<ServerRecord> servers = client.routing().servers();
        DaemonProcess daemon = run(prefix, data, more);
        assertThat(daemon.awaitExit()).as(daemon.tail()).isEqualTo(ExitCode.REFUSED);
        assertThat(daemon.tail()).contains("uniserve: " + code + ": ").contains(words);
        assertThat(contents(data)).isEqualTo(before);
        assertThat(client.routing().servers()).isEqualTo(servers);
        rowsAreThere();
    }

    private DaemonProcess run(Path data, List<String> more) {
        return run(List.of(), data, more);
    }

    private DaemonProcess run(List<String> prefix, Path data, List<String> more) {
        List<String> words = new ArrayList<>(prefix);
        List<String> command =
                new ArrayList<>(List.of("server", "--host", "127.0.0.1", "--port", "0", "--data", data.toString()));
        command.addAll(List.of("--zookeeper", cluster.address("zookeeper").toString()));
        command.addAll(more.contains("--cluster") ? more : List.of("--cluster", "local"));
        command.addAll(more.contains("--cluster") ? List.of() : more);
        words.addAll(JavaLauncher.ofThisProcess().commandLine("-Xmx256m", command));
        return DaemonProcess.start("other", words, root.resolve("other.log"));
    }

    private void rowsAreThere() {
        assertThat(client.query("t", "count").body().utf8()).isEqualTo("{\"count\":2}");
    }

    private Path data(String server) {
        return root.resolve(server);
    }

    private String identity(String server) {
        try {
            return Files.readString(data(server).resolve("server.id")).replaceAll("(?s).*server=(\\S+).*", "$1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path copy(String server, String name) throws IOException {
        Path from = data(server);
        Path to = root.resolve(name);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file :
                    files.filter(f -> !f.startsWith(from.resolve("scratch"))).toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
        return to;
    }

    /** Returns what shows if a refused start changed anything: names, and the small files of the directory itself. */
    private static Map<String, String> contents(Path data) {
        Map<String, String> contents = new TreeMap<>();
        if (!Files.isDirectory(data)) {
            return contents;
        }
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.toList()) {
                // The lock file is irrelevant, and a running server works in its scratch directory.
                if (!file.endsWith("lock") && !file.endsWith("scratch")) {
                    contents.put(file.getFileName().toString(), Files.isDirectory(file) ? names(file) : text(file));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return contents;
    }

    private static String names(Path directory) throws IOException {
        try (Stream<Path> names = Files.list(directory)) {
            return names.map(name -> name.getFileName().toString())
                    .sorted()
                    .toList()
                    .toString();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
