package io.uniserve.cli.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.runtime.registry.access.ZooKeeperConnection;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import io.uniserve.server.ServerDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster gets access lists and TLS to ZooKeeper, with certificates of {@code uniserve security issue}, as the manual shows it. */
@Timeout(240)
class SecurityZooKeeperCommandTest {
    private static final long SESSION_SECRET = 0XB3415C00L;
    private static final String JSON = "-o json";
    private static final String REPAIR = "uniserve security zookeeper --protect";

    private final TestingConsole uniserve = TestingConsole.alone();

    @TempDir
    private Path directory;

    private EmbeddedZooKeeper zookeeper;
    private Path file;

    /** ZooKeeper with TLS, and the configuration of all processes without an identity of scheme digest. */
    @BeforeEach
    void start() throws IOException {
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        CertificateAuthority authority = CertificateAuthority.create(directory.resolve("authority"), "main", now);
        CertificateFiles zk = authority.issueZooKeeper(
                "zk1", List.of("localhost"), now, Duration.ofDays(1), directory.resolve("zk1"));
        CertificateFiles process =
                authority.issueUser("uniserve", now, Duration.ofDays(1), directory.resolve("process"));
        Path password = Files.writeString(directory.resolve("password"), "correct horse\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        file = Files.writeString(directory.resolve("u.conf"), """
                uniserve {
                  cluster = main
                  zookeeper {
                    start-timeout = 15s
                    access.password-file = "%s"
                    tls { enabled = true, certificate-file = "%s", key-file = "%s", trust-file = "%s" }
                    embedded {
                      host = "127.0.0.1", port = 0, data-dir = "%s"
                      tls { enabled = true, certificate-file = "%s", key-file = "%s", trust-file = "%s" }
                    }
                  }
                  coordinator { host = "127.0.0.1", port = 0 }
                  server { host = "127.0.0.1", port = 0, stop-grace = 0s, new-data-dir = true }
                }
                """.formatted(
                        password,
                        process.certificate(),
                        process.key(),
                        process.trust(),
                        directory.resolve("zookeeper"),
                        zk.certificate(),
                        zk.key(),
                        zk.trust()));
        zookeeper = EmbeddedZooKeeper.start(
                Settings.load(Optional.of(file), Map.of()).zookeeper().embedded(),
                SecurityZooKeeperCommandTest::failed);
    }

    @AfterEach
    void stop() {
        zookeeper.close();
    }

    private static void failed(Object why) {
        throw new AssertionError("a daemon cannot continue: " + why);
    }

    private Settings settings(String scheme) {
        Map<String, String> values = new HashMap<>(Map.of(
                "uniserve.zookeeper.connect",
                "localhost:" + zookeeper.port(),
                "uniserve.zookeeper.access.scheme",
                scheme,
                "uniserve.server.data-dir",
                directory.resolve("server").toString()));
        return Settings.load(Optional.of(file), values);
    }

    private Run security(String scheme, String... more) {
        List<String> words = new ArrayList<>();
        List<String> rest = new ArrayList<>(List.of(more));
        if (rest.remove(JSON)) {
            words.addAll(List.of("-o", "json"));
        }
        words.addAll(List.of(
                "security",
                "zookeeper",
                "--config",
                file.toString(),
                "--zookeeper",
                "localhost:" + zookeeper.port(),
                "-S",
                "zookeeper.access.scheme=" + scheme));
        words.addAll(rest);
        return uniserve.run(words.toArray(String[]::new));
    }

    /** Runs a cluster that makes one more table, and has these. */
    private void runCluster(String scheme, String... tables) {
        Settings settings = settings(scheme);
        try (CoordinatorDaemon coordinator = CoordinatorDaemon.start(settings, SecurityZooKeeperCommandTest::failed);
                ServerDaemon server = ServerDaemon.start(
                        settings, Map.of("kv", LoadedPort.of(new KvEngine())), SecurityZooKeeperCommandTest::failed)) {
            assertThat(server.id().value()).isNotEmpty();
            TestingConsole client = new TestingConsole(RemoteCluster::connect);
            String bootstrap = coordinator.address().toString();
            String made = tables[tables.length - 1];
            await().untilAsserted(() -> {
                Run create = client.run("-b", bootstrap, "table", "create", made, "--engine", "kv", "--rf", "1");
                assertThat(create.exit()).as(create.err()).isEqualTo(ExitCode.OK);
            });
            assertThat(client.run("-b", bootstrap, "table", "list").out()).contains(tables);
        }
    }

    private void startIsRefused(String scheme, ErrorCode code, String... parts) {
        for (int process = 0; process < 2; process++) {
            boolean coordinator = process == 0;
            assertThatThrownBy(() -> {
                        if (coordinator) {
                            CoordinatorDaemon.start(settings(scheme), SecurityZooKeeperCommandTest::failed)
                                    .close();
                        } else {
                            ServerDaemon.start(
                                            settings(scheme),
                                            Map.of("kv", LoadedPort.of(new KvEngine())),
                                            SecurityZooKeeperCommandTest::failed)
                                    .close();
                        }
                    })
                    .isInstanceOfSatisfying(UniserveException.class, e -> {
                        assertThat(e.code()).isEqualTo(code);
                        assertThat(e.reason()).contains(parts);
                    });
        }
    }

    private static JsonNode json(Run run) throws IOException {
        return new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
    }

    @Test
    void aClusterGetsItsAccessListsByOneCommand() throws Exception {
        runCluster("", "before");
        startIsRefused(
                "digest", ErrorCode.INVALID_CONFIGURATION, "/uniserve/main can be changed by world:anyone", REPAIR);
        Run check = security("digest", "--check");
        assertThat(check.exit()).as(check.err()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(check.out()).contains("/uniserve/main as digest:uniserve: ", "can be changed by world:anyone");

        Run protect = security("digest", "--protect", JSON);
        assertThat(protect.exit()).as(protect.err()).isEqualTo(ExitCode.OK);
        int nodes = json(protect).get("nodes").asInt();
        assertThat(nodes).isGreaterThan(5);
        assertThat(json(protect).get("changed").asInt()).isEqualTo(nodes);
        assertThat(json(protect).get("open").asInt()).isZero();
        assertThat(security("digest", "--protect").out()).contains("0 of " + nodes + " nodes changed");

        runCluster("digest", "before", "after");
        Run grown = security("digest", "--check", JSON);
        assertThat(grown.exit()).isEqualTo(ExitCode.OK);
        assertThat(json(grown).get("nodes").asInt()).isGreaterThan(nodes);

        startIsRefused("x509", ErrorCode.UNAUTHORIZED, "belongs to another identity", "x509:CN=uniserve,O=main");
        assertThat(security("x509", "--protect").exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(security("x509", "--check").out())
                .contains("ZooKeeper node /uniserve/main belongs to another identity");

        assertThat(security("digest", "--open").exit()).isEqualTo(ExitCode.OK);
        assertThat(security("x509", "--protect").exit()).isEqualTo(ExitCode.OK);
        runCluster("x509", "before", "after", "last");
        assertThat(security("x509", "--check").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void aProcessWithoutTheIdentityIsRefused() {
        runCluster("digest", "one");
        startIsRefused("", ErrorCode.UNAUTHORIZED, "uniserve.zookeeper.access");
    }

    @Test
    void aServerRegistersAgainAfterItsSessionHasExpired() throws Exception {
        Settings settings = settings("digest");
        String connect = settings.zookeeper().connect();
        try (CoordinatorDaemon coordinator = CoordinatorDaemon.start(settings, SecurityZooKeeperCommandTest::failed);
                ServerDaemon server = ServerDaemon.start(
                        settings, Map.of("kv", LoadedPort.of(new KvEngine())), SecurityZooKeeperCommandTest::failed);
                ZooKeeperConnection owner =
                        ZooKeeperConnection.open(ZooKeeperSecurity.of(settings.zookeeper()), connect, 6_000, 30_000)) {
            assertThat(coordinator.address().port()).isPositive();
            String node = "/uniserve/main/servers/" + server.id().value();
            Stat first = new Stat();
            List<ACL> list = owner.client().getACL(node, first);
            assertThat(list)
                    .singleElement()
                    .extracting(entry -> entry.getId().getScheme())
                    .isEqualTo("digest");
            expire(owner.client(), first.getEphemeralOwner(), connect);
            await().until(() -> {
                Stat now = owner.client().exists(node, false);
                return now != null && now.getEphemeralOwner() != first.getEphemeralOwner();
            });
            assertThat(owner.client().getACL(node, new Stat())).isEqualTo(list);
        }
        assertThat(security("digest", "--check").exit()).isEqualTo(ExitCode.OK);
    }

    /** Ends another session as ZooKeeper's own tests do. The server derives the password of a session from its number. */
    private static void expire(ZooKeeper client, long session, String connect) throws Exception {
        byte[] password = new byte[16];
        new Random(session ^ SESSION_SECRET).nextBytes(password);
        ZooKeeper thief = new ZooKeeper(
                connect,
                6_000,
                event -> {},
                session,
                password,
                false,
                new StaticHostProvider(new ConnectStringParser(connect).getServerAddresses()),
                client.getClientConfig());
        await().until(() -> thief.getState().isConnected());
        thief.close();
    }

    @Test
    void wrongCommandsAreRefused() {
        assertThat(security("", "--check").err()).contains("uniserve.zookeeper.access.scheme is not set");
        assertThat(security("digest").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(security("digest", "--check", "--protect").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(security("digest", "--protect", "--cluster", "main/..").err())
                .contains("uniserve.cluster");
    }
}
