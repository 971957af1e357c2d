package io.uniserve.runtime.registry.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Access lists of a cluster's folder in a real ZooKeeper: their check at the start of a process, and their repair. */
class ZooKeeperAccessTest {
    private static final byte[] NO_VALUE = {};
    private static final ZooKeeperIdentity OWNER = ZooKeeperIdentity.digest("uniserve", "secret");

    @TempDir
    static Path data;

    private static EmbeddedZooKeeper server;
    private static int clusters;

    private final String cluster = "a" + clusters++;
    private final String root = "/uniserve/" + cluster;
    private ZooKeeperConnection owner;
    private ZooKeeper zookeeper;

    @BeforeAll
    static void startServer() {
        server = EmbeddedZooKeeper.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), data.resolve("zk"), failure -> {});
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() throws Exception {
        owner = connect(OWNER);
        zookeeper = owner.client();
        if (zookeeper.exists("/uniserve", false) == null) {
            zookeeper.create("/uniserve", NO_VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    @AfterEach
    void close() {
        owner.close();
    }

    private static ZooKeeperConnection connect(ZooKeeperIdentity identity) {
        return ZooKeeperConnection.open(
                new ZooKeeperSecurity(identity, Optional.empty()), "127.0.0.1:" + server.port(), 6_000, 20_000);
    }

    private static Path password(String text) throws IOException {
        Path file = Files.writeString(Files.createTempFile(data, "password", ""), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private Settings settings(String password, String... more) throws IOException {
        Map<String, String> values = new HashMap<>(Map.of(
                "uniserve.cluster",
                cluster,
                "uniserve.zookeeper.connect",
                "127.0.0.1:" + server.port(),
                "uniserve.zookeeper.access.scheme",
                "digest",
                "uniserve.zookeeper.access.password-file",
                password(password).toString(),
                "uniserve.security.mode",
                "open"));
        for (int i = 0; i < more.length; i += 2) {
            values.put("uniserve." + more[i], more[i + 1]);
        }
        return Settings.load(Optional.empty(), values);
    }

    private ZooKeeperAccess access(String password) throws IOException {
        return new ZooKeeperAccess(settings(password).zookeeper());
    }

    private void start(String... more) throws IOException {
        for (ListenerKind kind : ListenerKind.values()) {
            ZooKeeperAccess.checkAtStart(settings("secret", more), kind);
        }
    }

    private void refused(ErrorCode code, String... parts) {
        assertThatThrownBy(this::start).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.reason()).contains(parts).doesNotContain("secret");
        });
    }

    private void create(String path, ACL... list) throws Exception {
        zookeeper.create(root + path, NO_VALUE, Arrays.asList(list), CreateMode.PERSISTENT);
    }

    private static ACL own() {
        return OWNER.nodeList().get(0);
    }

    private static ACL world(int rights) {
        return new ACL(rights, Ids.ANYONE_ID_UNSAFE);
    }

    @Test
    void anAbsentFolderPasses() throws Exception {
        start();
        assertThat(access("secret").check()).isEqualTo(AccessReport.NONE);
        assertThat(access("secret").protect(count -> {})).isEqualTo(AccessReport.NONE);
        assertThat(zookeeper.exists(root, false)).isNull();
    }

    @Test
    void openNodesAreRefusedUntilTheCommandMendsThem() throws Exception {
        create("", world(Perms.ALL));
        create("/access", world(Perms.ALL));
        create("/servers", world(Perms.ALL));
        zookeeper.create(root + "/servers/s1", NO_VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        refused(
                ErrorCode.INVALID_CONFIGURATION,
                "ZooKeeper node " + root + " can be changed by world:anyone (and 3 more of 4)",
                "run uniserve security zookeeper --protect");
        start("zookeeper.access.migration", "true");
        assertThat(access("secret").protect(count -> {})).isEqualTo(report(4, 4, 0, 0));
        assertThat(access("secret").protect(count -> {})).isEqualTo(report(4, 0, 0, 0));
        start();
        try (ZooKeeperConnection migrating = connect(OWNER.inMigration())) {
            assertThat(migrating.client().getChildren(root, false))
                    .as("the identity is shown")
                    .hasSize(2);
            assertThat(OWNER.inMigration().nodeList()).isEqualTo(Ids.OPEN_ACL_UNSAFE);
            assertThat(OWNER.inMigration().sharedFolderList()).isEqualTo(Ids.OPEN_ACL_UNSAFE);
        }
        for (String path : List.of("", "/access", "/servers", "/servers/s1")) {
            assertThat(zookeeper.getACL(root + path, new Stat())).isEqualTo(OWNER.nodeList());
        }
        assertThat(access("secret").open(count -> {})).isEqualTo(report(4, 4, 0, 0));
        refused(ErrorCode.INVALID_CONFIGURATION, "world:anyone");
    }

    private static AccessReport report(int nodes, int changed, int open, int foreign) {
        return new AccessReport(nodes, changed, open, foreign, Optional.empty(), Optional.empty());
    }

    @Test
    void anyRightToChangeCounts() throws Exception {
        create("", own());
        Id other = ZooKeeperIdentity.digest("eve", "x").nodeList().get(0).getId();
        List<ACL> strangers = List.of(
                world(Perms.WRITE),
                world(Perms.CREATE),
                world(Perms.DELETE),
                world(Perms.ADMIN),
                new ACL(Perms.WRITE, new Id("ip", "10.0.0.0/8")),
                new ACL(Perms.ADMIN, other),
                new ACL(Perms.ALL, new Id("digest", "uniserve:AAAAAAAAAAAAAAAAAAAAAAAAAAA=")));
        for (ACL stranger : strangers) {
            create("/n", own(), stranger);
            refused(
                    ErrorCode.INVALID_CONFIGURATION,
                    root + "/n can be changed by " + ZooKeeperIdentity.text(stranger.getId()) + ":");
            zookeeper.delete(root + "/n", -1);
        }
        create("/n", own(), world(Perms.READ));
        start();
        assertThat(access("secret").protect(count -> {}).changed()).isEqualTo(1);
    }

    @Test
    void nodesOfAnotherOwnerAreNotMendedAndNamed() throws Exception {
        create("", own());
        create(
                "/theirs",
                ZooKeeperIdentity.digest("uniserve", "other").nodeList().get(0));
        create("/mine", world(Perms.ALL));
        refused(
                ErrorCode.UNAUTHORIZED,
                root + "/theirs belongs to another identity",
                "this process is digest:uniserve");
        AccessReport mended = access("secret").protect(count -> {});
        assertThat(mended)
                .isEqualTo(new AccessReport(
                        3, 1, 0, 1, Optional.empty(), Optional.of(root + "/theirs belongs to another identity")));
        try (ZooKeeperConnection other = connect(ZooKeeperIdentity.digest("uniserve", "other"))) {
            other.client().setACL(root + "/theirs", Arrays.asList(world(Perms.READ), own()), -1);
        }
        start();
        create("/lost", new ACL(Perms.READ | Perms.WRITE | Perms.ADMIN, own().getId()));
        refused(ErrorCode.UNAUTHORIZED, root + "/lost belongs to no identity with all rights");
        assertThat(access("secret").protect(count -> {}).foreign()).isZero();
        start();
    }

    @Test
    void aWrongPasswordNamesTheSettings() throws Exception {
        create("", own());
        for (String wrong : List.of("Secret", "secret ", "x")) {
            assertThatThrownBy(() -> ZooKeeperAccess.checkAtStart(settings(wrong), ListenerKind.SERVER))
                    .isInstanceOfSatisfying(UniserveException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHORIZED);
                        assertThat(e.reason())
                                .contains("uniserve.zookeeper.access.user and password-file", "uniserve.cluster");
                    });
        }
        ZooKeeperAccess.checkAtStart(settings("secret\n"), ListenerKind.SERVER);
        ZooKeeperAccess.checkAtStart(settings("secret\r\n"), ListenerKind.SERVER);
    }

    @Test
    void theCommandIsRepeatedAfterAnInterruptionAnywhere() throws Exception {
        Random random = new Random(7);
        List<String> paths = new ArrayList<>(List.of(""));
        create("", world(Perms.ALL));
        for (int i = 0; i < 600; i++) {
            String path = paths.get(random.nextInt(paths.size())) + "/n" + i;
            zookeeper.create(
                    root + path,
                    NO_VALUE,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT,
                    (rc, at, context, name) -> {},
                    null);
            paths.add(path);
        }
        int changed = 0;
        int stops = 0;
        for (int stop = 1; changed < paths.size(); stop += 150) {
            int limit = stop;
            try {
                changed += access("secret")
                        .protect(nodes -> {
                            if (nodes >= limit) {
                                throw new UniserveException(ErrorCode.CANCELLED, "interrupted");
                            }
                        })
                        .changed();
                break;
            } catch (UniserveException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED);
                stops++;
                int left = access("secret").check().open();
                assertThat(left).isBetween(0, paths.size() - 1);
            }
        }
        assertThat(stops).isGreaterThan(2);
        assertThat(access("secret").protect(nodes -> {}).nodes()).isEqualTo(paths.size());
        assertThat(access("secret").check()).isEqualTo(report(paths.size(), 0, 0, 0));
        start();
    }

    @Test
    void strangersCannotReadOrMakeTheFolderOpenAgain() throws Exception {
        create("", own());
        try (ZooKeeperConnection stranger = connect(ZooKeeperIdentity.digest("uniserve", "guess"))) {
            assertThatThrownBy(() -> stranger.client().setACL(root, Ids.OPEN_ACL_UNSAFE, -1))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.client().getChildren(root, false))
                    .isInstanceOf(KeeperException.NoAuthException.class);
        }
    }

    @Test
    void withoutASchemeNothingIsCheckedAndTheCommandRefuses() throws Exception {
        create("", world(Perms.ALL));
        start("zookeeper.access.scheme", "");
        Settings plain = settings("secret", "zookeeper.access.scheme", "");
        assertThatThrownBy(() -> new ZooKeeperAccess(plain.zookeeper()).protect(count -> {}))
                .hasMessageContaining("uniserve.zookeeper.access.scheme is not set");
    }

    @Test
    void aClosedClusterWithoutASchemeIsWarnedOfInOneLine() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ZooKeeperAccess.class);
        logger.addAppender(lines);
        try {
            start("zookeeper.access.scheme", "", "security.mode", "open");
            assertThat(lines.list).isEmpty();
            Settings closed = settings(
                    "secret",
                    "zookeeper.access.scheme",
                    "",
                    "security.mode",
                    "closed",
                    "tls.enabled",
                    "true",
                    "tls.certificate-file",
                    "/c",
                    "tls.key-file",
                    "/k",
                    "tls.trust-file",
                    "/t");
            ZooKeeperAccess.checkAtStart(closed, ListenerKind.SERVER);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains("uniserve.zookeeper.access.scheme is not set", "can change rules");
        });
    }

    @Test
    void unreachableZooKeeperIsUnavailable() throws Exception {
        Settings away = settings("secret", "zookeeper.connect", "127.0.0.1:1", "zookeeper.start-timeout", "1s");
        assertThatThrownBy(() -> ZooKeeperAccess.checkAtStart(away, ListenerKind.SERVER))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("127.0.0.1:1 after 1 s: start it");
    }

    @Test
    void passwordFilesOfOthersAreRefused() throws Exception {
        Path file = password("secret");
        for (String open : List.of("rw----r--", "rw-----w-", "rw-r--r--")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
            assertThatThrownBy(() -> SecretFile.read("uniserve.zookeeper.access.password-file", file))
                    .hasMessageContaining("chmod 600 " + file);
        }
        for (String wrong : List.of("", "\n", "a\nb", "a\u0000b", "x".repeat(257))) {
            Path bad = password(wrong);
            assertThatThrownBy(() -> SecretFile.read("k", bad)).hasMessageContaining("k: file " + bad);
        }
        Path binary = password("");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThatThrownBy(() -> SecretFile.read("k", binary)).hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> SecretFile.read("k", data.resolve("none"))).hasMessageContaining("cannot be read");
        assertThat(SecretFile.read("k", password("pass word: é😀\n"))).isEqualTo("pass word: é😀");
    }
}
