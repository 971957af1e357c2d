package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.registry.access.ZooKeeperConnection;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** Machines of a deployment, as folders and processes of this one, and what holds in every deployment. */
final class TestingDeployment implements AutoCloseable {
    static final long START_MS = 120_000;

    private static final String TABLE = "pairs";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration REFUSED = Duration.ofSeconds(3);
    /** Certificates begin so long ago, and end an hour from now: every process renews them at once. */
    private static final Duration OLD = Duration.ofHours(23);

    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));

    private final Path directory;
    private final Path home = Path.of(System.getProperty("uniserve.home"));
    private final Deque<DaemonProcess> processes = new ArrayDeque<>();
    private final TestingConsole console = TestingConsole.alone();
    private JavaLauncher launcher = JavaLauncher.ofThisProcess().with("-XX:TieredStopAtLevel=1");

    TestingDeployment(Path directory) {
        this.directory = directory;
    }

    /** End of a program. */
    record Ended(int status, String output) {}

    Path folder(String name) {
        return directory.resolve(name);
    }

    /** Folder of the distribution. */
    Path home() {
        return home;
    }

    /** Text of a file below {@code deploy}. */
    String deployed(String file) throws IOException {
        return Files.readString(home.resolve("deploy").resolve(file));
    }

    /** Lets later processes resolve names by this file of the form of /etc/hosts only. */
    void resolveNamesBy(Path hosts) {
        launcher = launcher.with("-Djdk.net.hosts.file=" + hosts);
    }

    /** Runs a command in this process, which must pass. */
    void command(String... words) {
        TestingConsole.Run run = console.run(words);
        assertThat(run.exit()).as(String.join(" ", words) + "\n" + run.err()).isEqualTo(ExitCode.OK);
    }

    /** Runs a command in another process. */
    Ended uniserve(String... words) throws IOException, InterruptedException {
        return program(Map.of(), launcher.commandLine("-Xmx128m", List.of(words)));
    }

    Ended program(Map<String, String> environment, List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        int status = builder.start().waitFor();
        return new Ended(status, Files.readString(output));
    }

    DaemonProcess launch(String name, String heap, List<String> words) {
        return launch(name, launcher.commandLine(heap, words));
    }

    /** Starts a process of another main class of the distribution's jars. */
    DaemonProcess launchClass(String name, String main, String... words) {
        return launch(name, launcher.running(main, home).commandLine("-Xmx128m", List.of(words)));
    }

    private DaemonProcess launch(String name, List<String> command) {
        DaemonProcess process = DaemonProcess.start(name, command, directory.resolve(name + ".log"));
        processes.push(process);
        return process;
    }

    /** Makes an identity that is due for renewal, with the names of the files in a folder for deployments. */
    Path issueOld(String name, Path authority, Path folder) throws IOException {
        Path made = Files.createTempDirectory(directory, "made");
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        CertificateAuthority.open(authority).issueServer(name, List.of(), now.minus(OLD), OLD.plusHours(1), made);
        Files.createDirectories(folder);
        install(made.resolve(name + ".pem"), folder.resolve("certificate.pem"));
        install(made.resolve(name + ".key"), folder.resolve("key.pem"));
        install(made.resolve("trust.pem"), folder.resolve("trust.pem"));
        return folder;
    }

    /** Copies a file, readable by its owner only. */
    static void install(Path from, Path to) throws IOException {
        Files.deleteIfExists(to);
        Files.copy(from, to);
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rw-------"));
    }

    static TlsFiles tls(Path certificate, Path key, Path trust) {
        return new TlsFiles(true, Optional.of(certificate), Optional.of(key), Optional.of(trust), false);
    }

    static UniserveClient client(Address bootstrap, TlsFiles tls, Duration patience) {
        return UniserveClient.builder()
                .bootstrap(bootstrap.toString())
                .connectTimeout(patience)
                .tls(tls)
                .build();
    }

    /** The user makes a table, writes and reads. Callers without a certificate are refused. Processes have renewed their certificates. */
    void assertServes(TlsFiles user, int certificates, Address coordinator, Address... servers) {
        try (UniserveClient client = client(coordinator, user, PATIENCE)) {
            client.admin().createTable(TableSpec.named(TABLE).port("kv").hash(4).replicas(2));
            client.table(TABLE)
                    .update("kv.put@1", Document.CODEC, List.of(new Document("key", Map.of("key", "a"))))
                    .run()
                    .orThrow();
            awaitRenewed(client, certificates);
            assertRead(client);
        }
        TlsFiles stranger = new TlsFiles(true, Optional.empty(), Optional.empty(), user.trust(), false);
        List<Address> all = new ArrayList<>(List.of(servers));
        all.add(coordinator);
        for (Address address : all) {
            for (TlsFiles without : List.of(stranger, TlsFiles.PLAIN)) {
                assertThatThrownBy(() -> client(address, without, REFUSED).close())
                        .isInstanceOf(UniserveException.class);
            }
        }
    }

    private static void assertRead(UniserveClient client) {
        List<Document> found = client.table(TABLE).key("a").retrieve(GET, "a", values -> values.get(0));
        assertThat(found).hasSize(1);
    }

    /** The row of {@link #assertServes} is found again. */
    void assertReads(TlsFiles user, Address bootstrap) {
        try (UniserveClient client = client(bootstrap, user, PATIENCE)) {
            assertRead(client);
        }
    }

    /** Waits until the certificate of each process lasts for the validity of renewed ones, 90 days. */
    private static void awaitRenewed(UniserveClient client, int certificates) {
        long end = SystemClock.INSTANCE.wallMillis() + Duration.ofDays(89).toMillis();
        await("renewed certificates").atMost(PATIENCE).untilAsserted(() -> {
            List<ProcessCertificate> found = client.admin().certificates();
            assertThat(found)
                    .hasSize(certificates)
                    .allSatisfy(one -> assertThat(one.status().orElseThrow().endMillis())
                            .as(one.process())
                            .isGreaterThan(end));
        });
    }

    /** All nodes in ZooKeeper belong to the cluster: the command says so, and a caller without its password changes none. */
    void assertZooKeeperIsOwned(Path config, Map<String, String> overrides) throws Exception {
        Ended check = uniserve("security", "zookeeper", "--check", "--config", config.toString());
        assertThat(check.output()).contains(" 0 open to others, 0 of another identity");
        assertThat(check.status()).isEqualTo(ExitCode.OK);
        Settings outside = Settings.load(Optional.of(config), overrides);
        String root = outside.zookeeper().root();
        try (ZooKeeperConnection connection = ZooKeeperConnection.open(
                ZooKeeperSecurity.of(outside.zookeeper()), outside.zookeeper().connect(), 6_000, START_MS)) {
            ZooKeeper stranger = connection.client();
            for (String node : List.of("", "/cluster", "/servers", "/tables")) {
                assertThatThrownBy(() -> stranger.setData(root + node, new byte[0], -1))
                        .isInstanceOf(NoAuthException.class);
                assertThatThrownBy(() -> stranger.getChildren(root + node, false))
                        .isInstanceOf(NoAuthException.class);
                assertThatThrownBy(() -> stranger.create(
                                root + node + "/mine", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
                        .isInstanceOf(NoAuthException.class);
            }
        }
    }

    /** The audit log is whole and has the table's creation by the user. */
    void assertAudited(Path log, String principal) {
        command("audit", "verify", log.toString());
        assertThat(console.run("audit", "tail", log.toString(), "--principal", principal, "-o", "json")
                        .out())
                .contains("\"create_table\"", "\"" + TABLE + "\"");
    }

    /** Kills all processes. */
    @Override
    public void close() {
        processes.forEach(DaemonProcess::close);
    }
}
