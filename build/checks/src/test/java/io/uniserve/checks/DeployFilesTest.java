package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of {@code deploy/}: units that systemd accepts, and user data that start a server with the id in its tags. */
class DeployFilesTest {
    private static final Path DEPLOY = ProjectTree.root().resolve("deploy");
    private static final String ID = "auto-0123456789abcdef0123456789abcdef";

    @TempDir
    Path directory;

    private record Ended(int status, String output) {}

    private Ended run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        int status = builder.start().waitFor();
        return new Ended(status, Files.readString(output));
    }

    @Test
    void systemdAcceptsTheUnits() throws IOException, InterruptedException {
        assumeThat(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")))
                .as("no systemd-analyze")
                .isTrue();
        Path program = Files.createDirectories(directory.resolve("opt")).resolve("uniserve");
        Files.writeString(program, "#!/bin/sh\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        for (String name : List.of("uniserve-server.service", "uniserve-coordinator.service")) {
            String unit = Files.readString(DEPLOY.resolve("systemd").resolve(name));
            assertThat(unit)
                    .contains("NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=\n")
                    .contains(
                            "StateDirectory=uniserve/",
                            " uniserve/audit\n",
                            "ReadWritePaths=-/etc/uniserve/identity\n");
            Path copy = directory.resolve(name);
            // The program's path exists on machines with Uniserve only; User and documentation too.
            Files.writeString(
                    copy,
                    unit.replace("/opt/uniserve/uniserve", program.toString())
                            .replace("file:///opt/uniserve/README.md", "https://example.com"));
            Ended ended = run(Map.of(), "systemd-analyze", "verify", copy.toString());
            assertThat(ended.output()).as(name).doesNotContain(name + ":");
            assertThat(ended.status()).as(ended.output()).isZero();
        }
    }

    @Test
    void userDataStartTheServerOfTheTags() throws Exception {
        Path release = release();
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer metadata = metadata(asked, release);
        try {
            String address = "http://127.0.0.1:" + metadata.getAddress().getPort();
            Path root = root();
            Map<String, String> environment = environment(root, address, release);
            Ended ended =
                    run(environment, "bash", DEPLOY.resolve("ec2/user-data.sh").toString());
            assertThat(ended.status()).as(ended.output()).isZero();
            assertThat(asked).contains("PUT /latest/api/token");
            assertThat(ended.output()).contains("systemctl enable --now uniserve-server");
            assertThat(root.resolve("etc/systemd/system/uniserve-server.service"))
                    .exists();
            Settings settings =
                    Settings.load(Optional.of(root.resolve("etc/uniserve/uniserve.conf")), Map.of(), Map.of());
            assertThat(settings.server().id().orElseThrow().value()).isEqualTo(ID);
            assertThat(settings.server().zone()).isEqualTo("eu-central-1b");
            assertThat(settings.server().advertisedHost()).contains("10.0.0.7");
            assertThat(settings.server().interruptionNotices()).contains("ec2");
            assertThat(settings.server().storageLocation()).contains("s3://backups/search");
            assertThat(Files.readString(root.resolve("etc/uniserve/server.env")))
                    .isEqualTo("UNISERVE_ARGUMENTS=--new\nUNISERVE_JAVA_OPTS=\"-Xmx4g\"\n");
            assertThat(settings.zookeeper().cluster()).isEqualTo("search");
            assertThat(settings.security(ListenerKind.SERVER).closed()).isTrue();
            assertThat(settings.tls().key()).contains(Path.of("/etc/uniserve/identity/key.pem"));
            assertThat(settings.zookeeper().access().passwordFile())
                    .contains(Path.of("/etc/uniserve/identity/zookeeper-password"));
            assertThat(settings.zookeeper().tls().enabled()).isTrue();
            assertThat(settings.zookeeper().tls().key())
                    .isEqualTo(settings.tls().key());
            assertThat(root.resolve("etc/hosts")).hasContent("127.0.0.1 localhost\n10.0.0.1 zk1\n10.0.0.2 zk2");
            assertThat(root.resolve("etc/uniserve/authority"))
                    .as("only coordinators get the authority")
                    .doesNotExist();
            for (String file : List.of("certificate.pem", "key.pem", "trust.pem", "zookeeper-password")) {
                Path fetched = root.resolve("etc/uniserve/identity").resolve(file);
                assertThat(fetched).content().contains("-----BEGIN " + file);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fetched)))
                        .isEqualTo("rw-------");
            }
            assertThat(ended.output())
                    .containsSubsequence("chown -R uniserve:uniserve", "systemctl enable --now uniserve-server");
            List<String> wrong = new ArrayList<>(
                    List.of("bash", DEPLOY.resolve("ec2/user-data.sh").toString()));
            Map<String, String> otherSum = new HashMap<>(environment);
            otherSum.put("RELEASE_SHA256", "0".repeat(64));
            assertThat(run(otherSum, wrong.toArray(String[]::new)).status())
                    .as("a release with another checksum is not installed")
                    .isNotZero();
        } finally {
            metadata.stop(0);
        }
    }

    @Test
    void userDataWithoutAnIdentityStartNothing() throws Exception {
        Path release = release();
        HttpServer metadata = metadata(new CopyOnWriteArrayList<>(), release);
        try {
            String address = "http://127.0.0.1:" + metadata.getAddress().getPort();
            Path root = root();
            Map<String, String> environment = new HashMap<>(environment(root, address, release));
            String script = DEPLOY.resolve("ec2/user-data.sh").toString();
            for (String wrong : List.of("", "identity", "s3://", "s3://bucket", "s3://bucket/search/")) {
                environment.put("IDENTITY", wrong);
                Ended ended = run(environment, "bash", script);
                assertThat(ended.status()).isNotZero();
                assertThat(ended.output()).contains("IDENTITY is \"" + wrong + "\"", "security issue server");
                assertThat(root.resolve("opt")).as("nothing is installed").doesNotExist();
            }
            environment.put("IDENTITY", "s3://secrets/absent");
            assertThat(run(environment, "bash", script).output())
                    .contains("cannot read s3://secrets/absent/certificate.pem", "s3:GetObject")
                    .doesNotContain("systemctl");
            environment.put("IDENTITY", "s3://secrets/text");
            assertThat(run(environment, "bash", script).output())
                    .contains("s3://secrets/text/certificate.pem is no PEM file")
                    .doesNotContain("systemctl");
            environment.put("IDENTITY", "s3://secrets/without-password");
            assertThat(run(environment, "bash", script).output())
                    .contains("cannot read s3://secrets/without-password/zookeeper-password")
                    .doesNotContain("systemctl");
            environment.put("IDENTITY", "s3://secrets/search");
            environment.put("ZOOKEEPER_TLS", "yes");
            assertThat(run(environment, "bash", script).output())
                    .contains("ZOOKEEPER_TLS is \"yes\": use true or false");
        } finally {
            metadata.stop(0);
        }
    }

    /** Root folder of a new instance. */
    private Path root() throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        for (String folder : List.of("etc/systemd/system", "etc/zookeeper/conf", "usr/sbin", "etc/cloud/templates")) {
            Files.createDirectories(root.resolve(folder));
        }
        for (String file : List.of("etc/hosts", "etc/cloud/templates/hosts.debian.tmpl")) {
            Files.writeString(root.resolve(file), "127.0.0.1 localhost\n");
        }
        return root;
    }

    private Map<String, String> environment(Path root, String address, Path release) throws Exception {
        return Map.ofEntries(
                Map.entry("PATH", commands() + ":" + System.getenv("PATH")),
                Map.entry("ROOT", root.toString()),
                Map.entry("METADATA", address),
                Map.entry("RELEASE_URL", address + "/release"),
                Map.entry("RELEASE_SHA256", sha256(release)),
                Map.entry("ZOOKEEPER", "zk1:2281,zk2:2281"),
                Map.entry("MEMBERS", "10.0.0.1 10.0.0.2"),
                Map.entry("AUTHORITY", "s3://secrets/authority"),
                Map.entry("CLUSTER", "search"),
                Map.entry("STORE", "s3://backups/search"),
                Map.entry("IDENTITY", "s3://secrets/search"));
    }

    @Test
    void userDataStartACoordinator() throws Exception {
        Path release = release();
        HttpServer metadata = metadata(new CopyOnWriteArrayList<>(), release);
        try {
            String address = "http://127.0.0.1:" + metadata.getAddress().getPort();
            Path root = root();
            Map<String, String> environment = new HashMap<>(environment(root, address, release));
            environment.put("ROLE", "coordinator");
            environment.put("SETTINGS", "coordinator.scaling { provider = ec2, template = \"lt-0a1b2c3d:3\" }");
            String script = DEPLOY.resolve("ec2/user-data.sh").toString();
            Ended ended = run(environment, "bash", script);
            assertThat(ended.status()).as(ended.output()).isZero();
            assertThat(ended.output()).contains("systemctl enable --now uniserve-coordinator");
            Settings settings =
                    Settings.load(Optional.of(root.resolve("etc/uniserve/uniserve.conf")), Map.of(), Map.of());
            assertThat(settings.coordinator().advertisedHost()).contains("10.0.0.7");
            assertThat(settings.renewal().authority()).contains(Path.of("/etc/uniserve/authority"));
            for (String file : List.of("authority.pem", "authority.key")) {
                Path fetched = root.resolve("etc/uniserve/authority").resolve(file);
                assertThat(fetched).content().contains("-----BEGIN " + file);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fetched)))
                        .isEqualTo("rw-------");
            }
            environment.put("AUTHORITY", "authority");
            assertThat(run(environment, "bash", script).output())
                    .contains("AUTHORITY is \"authority\"")
                    .doesNotContain("systemctl");
            environment.put("AUTHORITY", "");
            assertThat(run(environment, "bash", script).status()).isZero();
            assertThat(Settings.load(Optional.of(root.resolve("etc/uniserve/uniserve.conf")), Map.of(), Map.of())
                            .renewal()
                            .authority())
                    .isEmpty();
            assertThat(Files.readString(root.resolve("etc/uniserve/coordinator.env")))
                    .startsWith("UNISERVE_ARGUMENTS=\n");
            environment.put("ROLE", "client");
            assertThat(run(environment, "bash", script).output()).contains("use server or coordinator");
            environment.put("ROLE", "server");
            environment.put("METADATA", address + "/absent");
            assertThat(run(environment, "bash", script).status())
                    .as("without metadata nothing starts")
                    .isNotZero();
        } finally {
            metadata.stop(0);
        }
    }

    @Test
    void theScriptOfTheImageMakesMissingIdentities() throws Exception {
        Path uniserve = directory.resolve("uniserve");
        // uniserve security init DIR --cluster NAME; uniserve security issue KIND NAME --days N --authority DIR --out
        // FOLDER
        command(
                directory,
                "uniserve",
                "echo \"$@\"; if [ $2 = init ]; then mkdir -p $3; touch $3/authority.key; exit; fi;"
                        + " mkdir -p ${10}; for end in pem key; do echo $3 >${10}/$4.$end; done; touch ${10}/trust.pem");
        Path identities = Files.createDirectories(directory.resolve("identities"));
        Map<String, String> environment = Map.of(
                "UNISERVE", uniserve.toString(),
                "AUTHORITY", directory.resolve("authority").toString(),
                "PASSWORD", directory.resolve("zookeeper-password").toString(),
                "IDENTITIES", identities.toString());
        String script = DEPLOY.resolve("docker/identities.sh").toString();
        Path interrupted = Files.createDirectories(directory.resolve("authority.part"));
        Files.createFile(interrupted.resolve("authority.key"));
        Files.createFile(interrupted.resolve("old"));
        Ended ended = run(environment, "bash", script, "server-1", "zookeeper:zk", "user:client");
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(ended.output())
                .contains("security init " + interrupted + " --cluster uniserve")
                .contains("security issue server server-1 --days 365", "security issue user client --days 365");
        assertThat(directory.resolve("authority")).isDirectoryNotContaining("glob:**old");
        assertThat(identities.resolve("server-1/certificate.pem")).hasContent("server");
        assertThat(identities.resolve("client/key.pem")).hasContent("user");
        assertThat(identities.resolve("client/trust.pem")).exists();
        assertThat(ended.output()).containsPattern("security issue zookeeper zk --days 3650 .*--host zk\n");
        String password = Files.readString(identities.resolve("server-1/zookeeper-password"));
        assertThat(password).matches("[A-Za-z0-9+/=]{44}\n");
        assertThat(identities.resolve("zk/zookeeper-password")).doesNotExist();
        assertThat(identities.resolve("client/zookeeper-password")).doesNotExist();
        Ended again = run(environment, "bash", script, "server-1", "server-2");
        assertThat(again.output()).contains("server server-2").doesNotContain("security init", "server server-1");
        assertThat(identities.resolve("server-2/zookeeper-password")).hasContent(password.strip());
        assertThat(identities).isDirectoryNotContaining("glob:**.part");
        assertThat(run(environment, "bash", script).output()).contains("at least one process or user");
    }

    @Test
    void userDataMakeAMemberOfZooKeeper() throws Exception {
        Path root = root();
        HttpServer metadata = metadata(new CopyOnWriteArrayList<>(), release());
        try {
            Map<String, String> environment = new HashMap<>(Map.of(
                    "PATH",
                    commands() + ":" + System.getenv("PATH"),
                    "ROOT",
                    root.toString(),
                    "METADATA",
                    "http://127.0.0.1:" + metadata.getAddress().getPort(),
                    "ID",
                    "2",
                    "MEMBERS",
                    "10.0.0.1 10.0.0.2 10.0.0.3"));
            String script = DEPLOY.resolve("ec2/zookeeper-user-data.sh").toString();
            assertThat(run(environment, "bash", script).output())
                    .contains("IDENTITY is \"\"", "--host zk1")
                    .doesNotContain("apt-get");
            environment.put("IDENTITY", "s3://secrets/absent");
            assertThat(run(environment, "bash", script).output())
                    .contains("cannot read s3://secrets/absent/certificate.pem")
                    .doesNotContain("systemctl");
            environment.put("IDENTITY", "s3://secrets/search");
            Ended ended = run(environment, "bash", script);
            assertThat(ended.status()).as(ended.output()).isZero();
            assertThat(ended.output())
                    .containsSubsequence("chown -R zookeeper:zookeeper", "systemctl restart zookeeper");
        } finally {
            metadata.stop(0);
        }
        assertThat(root.resolve("usr/sbin/policy-rc.d"))
                .as("only while the package is installed")
                .doesNotExist();
        assertThat(root.resolve("etc/zookeeper/conf/myid")).hasContent("2");
        assertThat(Files.readAllLines(root.resolve("etc/zookeeper/conf/zoo.cfg")))
                .contains("tickTime=500", "server.1=zk1:2888:3888", "server.3=zk3:2888:3888")
                .contains("secureClientPort=2281", "ssl.clientAuth=need", "sslQuorum=true")
                .noneMatch(line -> line.startsWith("clientPort="));
        for (String file : List.of("etc/hosts", "etc/cloud/templates/hosts.debian.tmpl")) {
            assertThat(root.resolve(file)).hasContent("127.0.0.1 localhost\n10.0.0.1 zk1\n10.0.0.2 zk2\n10.0.0.3 zk3");
        }
        Path store = root.resolve("etc/zookeeper/identity/keystore.pem");
        assertThat(store).content().contains("-----BEGIN key.pem", "-----BEGIN certificate.pem");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(store)))
                .isEqualTo("rw-------");
    }

    /** Archive with the files that the user data need. */
    private Path release() throws IOException, InterruptedException {
        Path home = Files.createDirectories(directory.resolve("uniserve-0.1.0/deploy/systemd"));
        try (Stream<Path> units = Files.list(DEPLOY.resolve("systemd"))) {
            for (Path unit : units.toList()) {
                Files.copy(unit, home.resolve(unit.getFileName()));
            }
        }
        Path archive = directory.resolve("release.tar.gz");
        Ended ended = run(Map.of(), "tar", "-czf", archive.toString(), "-C", directory.toString(), "uniserve-0.1.0");
        assertThat(ended.status()).as(ended.output()).isZero();
        return archive;
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return HexFormat.of().formatHex(digest);
    }

    /** Folder of commands that print their names instead of changing this machine. */
    private Path commands() throws IOException {
        Path folder = Files.createDirectories(directory.resolve("commands"));
        for (String name : List.of("systemctl", "useradd", "apt-get", "dnf", "chown", "sleep")) {
            command(folder, name, "echo " + name + " \"$@\"");
        }
        // aws s3 cp --only-show-errors FROM TO, with a bucket that has the folders search, authority, text and
        // without-password.
        command(
                folder,
                "aws",
                "case $4 in */absent/* | */without-password/zookeeper-password) exit 1 ;; */text/*) echo text >\"$5\" ;;"
                        + " s3://secrets/search/* | s3://secrets/authority/* | */without-password/*) echo \"-----BEGIN ${4##*/}\" >\"$5\" ;; *) exit 2 ;; esac");
        return folder;
    }

    private static void command(Path folder, String name, String text) throws IOException {
        Path command = folder.resolve(name);
        Files.writeString(command, "#!/bin/sh\n" + text + "\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
    }

    private static HttpServer metadata(List<String> asked, Path release) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, String> values = Map.of(
                "/latest/meta-data/tags/instance/uniserve-server", ID,
                "/latest/meta-data/placement/availability-zone", "eu-central-1b",
                "/latest/meta-data/placement/region", "eu-central-1",
                "/latest/meta-data/local-ipv4", "10.0.0.7");
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            asked.add(exchange.getRequestMethod() + " " + path);
            boolean isToken = exchange.getRequestMethod().equals("PUT");
            boolean known = "secret".equals(exchange.getRequestHeaders().getFirst("X-aws-ec2-metadata-token"));
            byte[] body = path.equals("/release")
                    ? Files.readAllBytes(release)
                    : (isToken ? "secret" : values.getOrDefault(path, "")).getBytes(StandardCharsets.UTF_8);
            boolean found = path.equals("/release") || isToken || known && values.containsKey(path);
            exchange.sendResponseHeaders(found ? 200 : 401, found ? body.length : -1);
            if (found) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
        return server;
    }
}
