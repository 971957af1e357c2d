package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.Address;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.testkit.process.DaemonProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with the settings that the user data of {@code deploy/ec2} write on two instances, and three ZooKeeper servers with those of
 * theirs, which speak TLS to each other. Folders stand for the bucket and the metadata, loopback addresses for instances.
 */
class Ec2ClusterIT {
    private static final List<String> MEMBERS = List.of("127.0.0.1", "127.0.0.2", "127.0.0.3");
    private static final String ZOOKEEPER_MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
    private static final String SERVER_ID = "auto-0123456789abcdef0123456789abcdef";

    @TempDir
    private Path directory;

    private TestingDeployment instances;
    private final List<Integer> ports = new ArrayList<>();

    @BeforeEach
    void prepare() throws Exception {
        instances = new TestingDeployment(directory);
        for (String name : List.of("systemctl", "useradd", "apt-get", "chown", "sleep", "id")) {
            stub(name, "exit 0");
        }
        // aws s3 cp --only-show-errors FROM TO
        stub("aws", "cp \"" + directory.resolve("bucket") + "/${4#s3://}\" \"$5\"");
        Path metadata = instances.folder("metadata/latest/meta-data");
        write(instances.folder("metadata/latest/api/token"), "secret");
        write(metadata.resolve("placement/region"), "eu-central-1");
        write(metadata.resolve("placement/availability-zone"), "eu-central-1b");
        write(metadata.resolve("local-ipv4"), "127.0.0.1");
        write(metadata.resolve("tags/instance/uniserve-server"), SERVER_ID);
        makeBucket();
        for (int i = 0; i < 3 * MEMBERS.size(); i++) {
            ports.add(freePort());
        }
    }

    @AfterEach
    void stop() {
        instances.close();
    }

    /** A port that is free on all loopback addresses. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Path write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void stub(String name, String text) throws IOException {
        Path command = write(instances.folder("commands/" + name), "#!/bin/sh\n" + text + "\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
    }

    /** Makes the identities as docs/manual/deploy.md says, and puts them into the bucket. */
    private void makeBucket() throws Exception {
        String authority = instances.folder("authority").toString();
        instances.command("security", "init", authority, "--cluster", "search");
        Path bucket = instances.folder("bucket/secrets");
        instances.issueOld("node", instances.folder("authority"), bucket.resolve("search"));
        write(bucket.resolve("search/zookeeper-password"), "correct horse battery staple\n");
        Path made = instances.folder("zookeeper");
        instances.command(
                "security",
                "issue",
                "zookeeper",
                "zookeeper",
                "--host",
                "zk1",
                "--host",
                "zk2",
                "--host",
                "zk3",
                "--authority",
                authority,
                "--out",
                made.toString());
        Path zookeeper = Files.createDirectories(bucket.resolve("zookeeper"));
        Files.copy(made.resolve("zookeeper.pem"), zookeeper.resolve("certificate.pem"));
        Files.copy(made.resolve("zookeeper.key"), zookeeper.resolve("key.pem"));
        Files.copy(made.resolve("trust.pem"), zookeeper.resolve("trust.pem"));
        Path signer = Files.createDirectories(bucket.resolve("authority"));
        for (String file : List.of("authority.pem", "authority.key")) {
            Files.copy(instances.folder("authority").resolve(file), signer.resolve(file));
        }
    }

    /** Runs user data on a new instance, a folder with the files that its image has. */
    private Path boot(String name, String script, Map<String, String> variables) throws Exception {
        Path root = instances.folder(name);
        for (String folder : List.of("etc/systemd/system", "etc/zookeeper/conf", "usr/sbin", "var/lib/zookeeper")) {
            Files.createDirectories(root.resolve(folder));
        }
        write(
                root.resolve("etc/hosts"),
                "127.0.0.1 localhost " + InetAddress.getLocalHost().getHostName() + "\n");
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("PATH", instances.folder("commands") + ":" + System.getenv("PATH"));
        environment.put("ROOT", root.toString());
        environment.put("METADATA", "file://" + instances.folder("metadata"));
        environment.put("MEMBERS", String.join(" ", MEMBERS));
        TestingDeployment.Ended ended = instances.program(
                environment,
                List.of(
                        "bash",
                        instances.home().resolve("deploy/ec2").resolve(script).toString()));
        assertThat(ended.status()).as(ended.output()).isZero();
        return root;
    }

    /** Starts a member of the ensemble with its settings; only paths and ports differ. */
    private void launchZooKeeper(int number) throws Exception {
        String name = "zookeeper-" + number;
        Path root = boot(
                name,
                "zookeeper-user-data.sh",
                Map.of("ID", Integer.toString(number), "IDENTITY", "s3://secrets/zookeeper"));
        Path conf = root.resolve("etc/zookeeper/conf");
        Files.copy(conf.resolve("myid"), root.resolve("var/lib/zookeeper/myid"));
        String text = Files.readString(conf.resolve("zoo.cfg"))
                .replace("=/etc/", "=" + root.resolve("etc") + "/")
                .replace("=/var/", "=" + root.resolve("var") + "/")
                .replace("secureClientPort=2281", "secureClientPort=" + ports.get(number - 1));
        for (int member = 1; member <= MEMBERS.size(); member++) {
            text = text.replace(
                    "server." + member + "=zk" + member + ":2888:3888",
                    "server." + member + "=zk" + member + ":" + ports.get(2 + member) + ":" + ports.get(5 + member));
        }
        assertThat(text).doesNotContain("2281", "2888", "\nclientPort=").contains("sslQuorum=true");
        Path file = Files.writeString(conf.resolve("zoo.cfg"), text);
        instances.resolveNamesBy(root.resolve("etc/hosts"));
        instances.launchClass(name, ZOOKEEPER_MAIN, file.toString());
    }

    /** Runs user data of a release that has the units, and returns the settings with the instance's own paths. */
    private Path bootUniserve(String role) throws Exception {
        Path archive = instances.folder(role + ".tar.gz");
        TestingDeployment.Ended packed = instances.program(
                Map.of(),
                List.of(
                        "tar",
                        "-czf",
                        archive.toString(),
                        "-C",
                        instances.home().getParent().toString(),
                        "dist/deploy"));
        assertThat(packed.status()).as(packed.output()).isZero();
        TestingDeployment.Ended sum = instances.program(Map.of(), List.of("sha256sum", archive.toString()));
        String connect = "zk1:" + ports.get(0) + ",zk2:" + ports.get(1) + ",zk3:" + ports.get(2);
        Map<String, String> variables = new HashMap<>(Map.of(
                "RELEASE_URL",
                "file://" + archive,
                "RELEASE_SHA256",
                sum.output().substring(0, 64),
                "ZOOKEEPER",
                connect,
                "CLUSTER",
                "search",
                "ROLE",
                role,
                "IDENTITY",
                "s3://secrets/search"));
        if (role.equals("coordinator")) {
            variables.put("AUTHORITY", "s3://secrets/authority");
        }
        Path root = boot(role, "user-data.sh", variables);
        Path conf = root.resolve("etc/uniserve/uniserve.conf");
        String text = Files.readString(conf)
                .replace("\"/etc/", "\"" + root.resolve("etc") + "/")
                .replace("\"/var/", "\"" + root.resolve("var") + "/")
                .replace(", interruption-notices = ec2", "");
        return Files.writeString(conf, text);
    }

    @Test
    void theInstancesMakeAClosedCluster() throws Exception {
        for (int number = 1; number <= MEMBERS.size(); number++) {
            launchZooKeeper(number);
        }
        Path coordinating = bootUniserve("coordinator");
        Path serving = bootUniserve("server");
        DaemonProcess coordinator = instances.launch(
                "coordinator", "-Xmx128m", List.of("coordinator", "--config", coordinating.toString(), "--port", "0"));
        List<String> server = List.of("server", "--config", serving.toString(), "--new", "--port", "0");
        DaemonProcess first = instances.launch("server", "-Xmx256m", with(server, directory.resolve("data-1")));
        DaemonProcess second = instances.launch(
                "server-2",
                "-Xmx256m",
                with(
                        server,
                        directory.resolve("data-2"),
                        "-S",
                        "server.id=other",
                        "-S",
                        "security.audit.directory=" + directory.resolve("audit-2")));
        Address leader = coordinator.awaitReady(TestingDeployment.START_MS);
        Address of = first.awaitReady(TestingDeployment.START_MS);
        second.awaitReady(TestingDeployment.START_MS);

        Path admin = instances.folder("admin");
        String authority = instances.folder("authority").toString();
        instances.command("security", "issue", "user", "admin", "--authority", authority, "--out", admin.toString());
        TlsFiles user = TestingDeployment.tls(
                admin.resolve("admin.pem"), admin.resolve("admin.key"), admin.resolve("trust.pem"));
        instances.assertServes(user, 3, leader, of);
        instances.assertAudited(instances.folder("coordinator/var/lib/uniserve/audit/coordinator"), "user/admin");
        String addresses = MEMBERS.get(0) + ":" + ports.get(0);
        instances.assertZooKeeperIsOwned(
                serving,
                Map.of(
                        "uniserve.zookeeper.access.scheme", "",
                        "uniserve.zookeeper.connect", addresses,
                        "uniserve.zookeeper.tls.check-host-name", "false"));
        assertThat(instances.folder("bucket/secrets/search/certificate.pem"))
                .as("the bucket keeps the first certificate")
                .content()
                .isNotEqualTo(Files.readString(
                        instances.folder("server/etc/uniserve/identity").resolve("certificate.pem")));
        assertThat(instances.folder("server/etc/uniserve/authority")).doesNotExist();
    }

    private static List<String> with(List<String> words, Path data, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--data", data.toString()));
        all.addAll(List.of(more));
        return all;
    }
}
