package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.uniserve.model.Address;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.testkit.process.DaemonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with the settings that Helm renders from {@code deploy/helm}, after the script of the init container. Folders stand for secrets and
 * volumes. A pod that starts again goes on with the certificate that it has renewed.
 */
class HelmClusterIT {
    private static final String SECRET = "/etc/uniserve-identity";
    private static final String AUTHORITY = "/etc/uniserve-authority";
    private static final String DATA = "/var/lib/uniserve";
    private static final String PORTS = "/opt/uniserve/ports";

    @TempDir
    private Path directory;

    private TestingDeployment pods;

    @BeforeEach
    void prepare() {
        assumeThat(Stream.of("helm", "openssl").allMatch(HelmClusterIT::isOnThePath))
                .as("no helm or openssl on the PATH")
                .isTrue();
        pods = new TestingDeployment(directory);
    }

    private static boolean isOnThePath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @AfterEach
    void stop() {
        if (pods != null) {
            pods.close();
        }
    }

    private Path secret() {
        return pods.folder("secret");
    }

    private Path identity(String pod) {
        return pods.folder(pod).resolve("identity");
    }

    /** Writes the settings of the chart for a pod; only paths differ. */
    private Path settings(String pod, Address zookeeper) throws Exception {
        TestingDeployment.Ended rendered = pods.program(
                Map.of(),
                List.of(
                        "helm",
                        "template",
                        "trial",
                        pods.home().resolve("deploy/helm/uniserve").toString(),
                        "--set",
                        "zookeeper.connect=localhost:" + zookeeper.port(),
                        "--set",
                        "identities.secretName=identity,identities.authoritySecretName=authority"));
        Matcher conf =
                Pattern.compile("  uniserve.conf: \\|\\n((?:    .*\\n)+)").matcher(rendered.output());
        assertThat(conf.find()).as(rendered.output()).isTrue();
        assertThat(conf.group(1)).contains(SECRET, AUTHORITY, DATA, PORTS);
        return Files.writeString(
                pods.folder(pod + ".conf"),
                conf.group(1)
                        .replace(SECRET, secret().toString())
                        .replace(AUTHORITY, pods.folder("authority").toString())
                        .replace(DATA, pods.folder(pod).toString())
                        .replace(PORTS, pods.home().resolve("ports").toString()));
    }

    /** Runs the init container of a pod. */
    private String init(String pod) throws Exception {
        Files.createDirectories(pods.folder(pod));
        TestingDeployment.Ended ended = pods.program(
                Map.of(),
                List.of(
                        "bash",
                        pods.home().resolve("deploy/docker/first-identity.sh").toString(),
                        secret().toString(),
                        identity(pod).toString()));
        assertThat(ended.status()).as(ended.output()).isZero();
        return ended.output();
    }

    private DaemonProcess launch(String role, String pod, Path config, String... more) {
        List<String> words = Stream.concat(
                        Stream.of(
                                role, "--config", config.toString(), "--port", "0", "-S", "metrics.prometheus.port=0"),
                        Stream.of(more))
                .toList();
        return pods.launch(pod, "-Xmx256m", words);
    }

    private Address startZooKeeper() throws IOException {
        Path made = pods.folder("zookeeper");
        pods.command(
                "security",
                "issue",
                "server",
                "zk",
                "--host",
                "localhost",
                "--authority",
                pods.folder("authority").toString(),
                "--out",
                made.toString());
        String tls = "zookeeper.embedded.tls.";
        return pods.launch(
                        "zookeeper",
                        "-Xmx128m",
                        List.of(
                                "zookeeper",
                                "--port",
                                "0",
                                "--data",
                                made.resolve("data").toString(),
                                "-S",
                                tls + "enabled=true",
                                "-S",
                                tls + "certificate-file=" + made.resolve("zk.pem"),
                                "-S",
                                tls + "key-file=" + made.resolve("zk.key"),
                                "-S",
                                tls + "trust-file=" + made.resolve("trust.pem")))
                .awaitReady(TestingDeployment.START_MS);
    }

    @Test
    void thePodsMakeAClosedCluster() throws Exception {
        Path authority = pods.folder("authority");
        pods.command("security", "init", authority.toString(), "--cluster", "uniserve");
        pods.issueOld("node", authority, secret());
        Path password = Files.writeString(directory.resolve("password"), "correct horse battery staple\n");
        TestingDeployment.install(password, secret().resolve("zookeeper-password"));
        Address zookeeper = startZooKeeper();
        for (String pod : List.of("coordinator-0", "server-0", "server-1")) {
            assertThat(init(pod)).contains("is that of " + secret());
        }
        DaemonProcess coordinator = launch("coordinator", "coordinator-0", settings("coordinator-0", zookeeper));
        Path config = settings("server-0", zookeeper);
        DaemonProcess server = launch("server", "server-0", config, "--new");
        DaemonProcess other = launch("server", "server-1", settings("server-1", zookeeper), "--new");
        Address first = coordinator.awaitReady(TestingDeployment.START_MS);
        Address second = server.awaitReady(TestingDeployment.START_MS);
        other.awaitReady(TestingDeployment.START_MS);

        Path admin = pods.folder("admin");
        pods.command(
                "security", "issue", "user", "admin", "--authority", authority.toString(), "--out", admin.toString());
        TlsFiles user = TestingDeployment.tls(
                admin.resolve("admin.pem"), admin.resolve("admin.key"), admin.resolve("trust.pem"));
        pods.assertServes(user, 3, first, second);
        pods.assertAudited(pods.folder("coordinator-0").resolve("audit/coordinator"), "user/admin");
        pods.command(
                "audit",
                "verify",
                pods.folder("server-0").resolve("audit/server").toString());
        pods.assertZooKeeperIsOwned(config, Map.of("uniserve.zookeeper.access.scheme", ""));

        server.terminate();
        server.awaitExit();
        assertThat(init("server-0")).contains("stays");
        Address again = launch("server", "server-0", config, "--new").awaitReady(TestingDeployment.START_MS);
        pods.assertReads(user, again);
    }
}
