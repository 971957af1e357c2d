package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.Address;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.testkit.process.DaemonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes on all interfaces with the settings of {@code deploy/systemd/uniserve.conf} and identities made as docs/manual/deploy.md says: a user
 * with a certificate is served, a caller without one is not, the table's creation stands in the audit log, the nodes in ZooKeeper belong to the
 * cluster, and each process renews its certificate.
 */
class DeployedClusterIT {
    private static final String IDENTITY = "/etc/uniserve/identity";
    private static final String AUDIT = "/var/lib/uniserve/audit";
    private static final String RENEWAL = "# renewal.authority = \"/etc/uniserve/authority\"";
    private static final String ENSEMBLE = "zk1:2181,zk2:2181,zk3:2181";

    @TempDir
    private Path directory;

    private TestingDeployment machines;

    @BeforeEach
    void prepare() {
        machines = new TestingDeployment(directory);
    }

    @AfterEach
    void stop() {
        machines.close();
    }

    private Path authority() {
        return machines.folder("authority");
    }

    /** Gives a machine the files of its identity, and ZooKeeper's password. */
    private void installIdentity(String machine, Path password) throws IOException {
        Path folder = machines.folder(machine).resolve("identity");
        machines.issueOld(machine, authority(), folder);
        TestingDeployment.install(password, folder.resolve("zookeeper-password"));
    }

    /** Writes the settings of systemd's units for a machine; only paths and ZooKeeper's address differ. */
    private Path settings(String machine, Address zookeeper) throws IOException {
        String text = machines.deployed("systemd/uniserve.conf");
        assertThat(text).contains(IDENTITY + "/key.pem", ENSEMBLE, "mode = closed", AUDIT, RENEWAL);
        Path own = machines.folder(machine);
        return Files.writeString(
                own.resolve("uniserve.conf"),
                text.replace(IDENTITY, own.resolve("identity").toString())
                        .replace(AUDIT, own.resolve("audit").toString())
                        .replace(ENSEMBLE, zookeeper.toString()));
    }

    /** Settings of a coordinator with the authority. */
    private Path coordinatorSettings(String machine, Address zookeeper) throws IOException {
        Path file = settings(machine, zookeeper);
        String text = Files.readString(file);
        return Files.writeString(file, text.replace(RENEWAL, "renewal.authority = \"" + authority() + "\""));
    }

    private DaemonProcess launchServer(String machine, Path config, String... more) {
        String data = machines.folder(machine).resolve("data").toString();
        List<String> words =
                new ArrayList<>(List.of("server", "--config", config.toString(), "--data", data, "--port", "0"));
        words.addAll(List.of(more));
        return machines.launch(machine, "-Xmx256m", words);
    }

    @Test
    void usersAreServedAndStrangersAreNot() throws Exception {
        machines.command("security", "init", authority().toString(), "--cluster", "uniserve");
        Path password = Files.writeString(directory.resolve("password"), "correct horse battery staple\n");
        for (String machine : List.of("node1", "node2", "node3")) {
            installIdentity(machine, password);
        }
        Path admin = machines.folder("admin");
        machines.command(
                "security", "issue", "user", "admin", "--authority", authority().toString(), "--out", admin.toString());
        TlsFiles user = TestingDeployment.tls(
                admin.resolve("admin.pem"), admin.resolve("admin.key"), admin.resolve("trust.pem"));
        String data = machines.folder("zookeeper").toString();
        Address zookeeper = machines.launch(
                        "zookeeper",
                        "-Xmx128m",
                        List.of("zookeeper", "--host", "127.0.0.1", "--port", "0", "--data", data))
                .awaitReady(TestingDeployment.START_MS);
        Path config = coordinatorSettings("node1", zookeeper);
        DaemonProcess coordinator = machines.launch(
                "node1", "-Xmx128m", List.of("coordinator", "--config", config.toString(), "--port", "0"));
        Path own = settings("node2", zookeeper);
        DaemonProcess second = launchServer("node2", own, "--new");
        DaemonProcess third = launchServer("node3", settings("node3", zookeeper), "--new");
        Address first = coordinator.awaitReady(TestingDeployment.START_MS);
        Address server = second.awaitReady(TestingDeployment.START_MS);
        third.awaitReady(TestingDeployment.START_MS);

        machines.assertServes(user, 3, first, server);
        assertStatus(first, admin);
        machines.assertAudited(machines.folder("node1").resolve("audit/coordinator"), "user/admin");
        machines.command(
                "audit",
                "verify",
                machines.folder("node2").resolve("audit/server").toString());
        machines.assertZooKeeperIsOwned(own, Map.of("uniserve.zookeeper.access.scheme", ""));

        second.terminate();
        second.awaitExit();
        Address again = launchServer("node2", own).awaitReady(TestingDeployment.START_MS);
        machines.assertReads(user, again);
    }

    private void assertStatus(Address bootstrap, Path admin) throws Exception {
        String trust = admin.resolve("trust.pem").toString();
        String certificate = admin.resolve("admin.pem").toString();
        String key = admin.resolve("admin.key").toString();
        String address = bootstrap.toString();
        assertThat(machines.uniserve(
                                "status",
                                "-b",
                                address,
                                "--tls-trust",
                                trust,
                                "--tls-certificate",
                                certificate,
                                "--tls-key",
                                key)
                        .status())
                .isEqualTo(ExitCode.OK);
        assertThat(machines.uniserve("status", "-b", address, "--tls-trust", trust)
                        .status())
                .as("the process says that the caller has no identity")
                .isEqualTo(ExitCode.REFUSED);
    }
}
