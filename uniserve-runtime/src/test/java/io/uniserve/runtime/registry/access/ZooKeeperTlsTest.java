package io.uniserve.runtime.registry.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.config.ZooKeeperSettings.Embedded;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.runtime.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS to a real ZooKeeper, and its errors at the start of a process. */
class ZooKeeperTlsTest {
    @TempDir
    static Path data;

    private static EmbeddedZooKeeper server;
    private static EmbeddedZooKeeper plain;

    @BeforeAll
    static void startServers() throws Exception {
        for (String name : List.of("zk", "one", "two", "stranger")) {
            Certificates.make(data, name, name.equals("zk") ? "dns:localhost" : "dns:elsewhere");
        }
        Files.writeString(
                data.resolve("clients.pem"),
                Files.readString(data.resolve("one.pem")) + Files.readString(data.resolve("two.pem")));
        server = EmbeddedZooKeeper.start(tls("zk", "clients", 0), failure -> {});
        plain = EmbeddedZooKeeper.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), data.resolve("plain"), failure -> {});
    }

    @AfterAll
    static void stopServers() {
        server.close();
        plain.close();
    }

    private static Embedded tls(String name, String trusted, int port) {
        return new Embedded(
                "127.0.0.1",
                port,
                data.resolve("data-" + name),
                Duration.ofMillis(500),
                Certificates.files(data, name, trusted, true));
    }

    private static Settings settings(String name, String... more) {
        Map<String, String> values = new HashMap<>(Map.of(
                "uniserve.cluster",
                "tls",
                "uniserve.zookeeper.connect",
                "localhost:" + server.port(),
                "uniserve.zookeeper.start-timeout",
                "1s",
                "uniserve.zookeeper.tls.enabled",
                "true",
                "uniserve.zookeeper.tls.certificate-file",
                data.resolve(name + ".pem").toString(),
                "uniserve.zookeeper.tls.key-file",
                data.resolve(name + ".key").toString(),
                "uniserve.zookeeper.tls.trust-file",
                data.resolve("zk.pem").toString(),
                "uniserve.security.mode",
                "open"));
        for (int i = 0; i < more.length; i += 2) {
            values.put("uniserve." + more[i], more[i + 1]);
        }
        return Settings.load(Optional.empty(), values);
    }

    private static void start(Settings settings) {
        ZooKeeperAccess.checkAtStart(settings, ListenerKind.COORDINATOR);
    }

    private static void refused(ErrorCode code, Settings settings, String... parts) {
        assertThatThrownBy(() -> start(settings)).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.reason()).contains(parts);
        });
    }

    @Test
    void theSubjectOfTheCertificateOwnsTheNodes() throws Exception {
        Settings one = settings("one", "zookeeper.access.scheme", "x509", "zookeeper.start-timeout", "30s");
        start(one);
        try (ZooKeeperConnection connection = ZooKeeperConnection.open(
                ZooKeeperSecurity.of(one.zookeeper()), one.zookeeper().connect(), 6_000, 30_000)) {
            ZooKeeper client = connection.client();
            assertThat(client.whoAmI())
                    .anyMatch(info -> info.getAuthScheme().equals("x509")
                            && info.getUser().equals("CN=one"));
            client.create("/uniserve", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.create("/uniserve/tls", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        refused(ErrorCode.INVALID_CONFIGURATION, one, "/uniserve/tls can be changed by world:anyone");
        assertThat(new ZooKeeperAccess(one.zookeeper()).protect(count -> {}).changed())
                .isEqualTo(1);
        start(one);
        refused(
                ErrorCode.UNAUTHORIZED,
                settings("two", "zookeeper.access.scheme", "x509", "zookeeper.start-timeout", "30s"),
                "/uniserve/tls belongs to another identity, and this process is x509:CN=two",
                "uniserve.zookeeper.tls.certificate-file");
    }

    @Test
    void aServerWithoutTlsIsUnavailableWithAReason() {
        refused(
                ErrorCode.UNAVAILABLE,
                settings("one", "zookeeper.connect", "localhost:" + plain.port()),
                "TLS with localhost:" + plain.port() + " fails",
                "a port for TLS");
    }

    @Test
    void certificatesOfOtherAuthoritiesAreRejectedOnBothSides() {
        refused(
                ErrorCode.UNAVAILABLE,
                settings(
                        "one",
                        "zookeeper.tls.trust-file",
                        data.resolve("stranger.pem").toString()),
                "fails: ",
                "uniserve.zookeeper.tls.trust-file");
        refused(ErrorCode.UNAVAILABLE, settings("stranger"), "fails: ", "certificate-file");
    }

    @Test
    void theHostOfTheConnectionMustBeInTheCertificateUnlessItIsNotChecked() {
        Settings trusting = settings(
                "one", "zookeeper.tls.trust-file", data.resolve("one.pem").toString());
        EmbeddedZooKeeperTls.use(Certificates.files(data, "one", "clients", true));
        try {
            refused(ErrorCode.UNAVAILABLE, trusting, "localhost", "host names");
            start(settings(
                    "one",
                    "zookeeper.tls.trust-file",
                    data.resolve("one.pem").toString(),
                    "zookeeper.tls.check-host-name",
                    "false",
                    "zookeeper.start-timeout",
                    "30s"));
        } finally {
            EmbeddedZooKeeperTls.use(Certificates.files(data, "zk", "clients", true));
        }
    }

    @Test
    void filesThatDoNotFitAreNamed() throws Exception {
        String key = data.resolve("two.key").toString();
        refused(
                ErrorCode.INVALID_CONFIGURATION,
                settings("one", "zookeeper.tls.key-file", key),
                "uniserve.zookeeper.tls.key-file: file " + key
                        + " cannot be used: it is not the key of the certificate");
        refused(
                ErrorCode.INVALID_CONFIGURATION,
                settings("one", "zookeeper.tls.key-file", ""),
                "certificate-file and key-file belong together");
        refused(
                ErrorCode.INVALID_CONFIGURATION,
                settings("one", "zookeeper.tls.key-file", "/none.key"),
                "uniserve.zookeeper.tls.key-file: file /none.key");
        Path broken = Files.writeString(data.resolve("broken.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n");
        for (String file : List.of("certificate-file", "key-file", "trust-file")) {
            refused(
                    ErrorCode.INVALID_CONFIGURATION,
                    settings("one", "zookeeper.tls." + file, broken.toString()),
                    "uniserve.zookeeper.tls." + file + ": file " + broken);
        }
        assertThatThrownBy(() -> EmbeddedZooKeeper.start(tls("absent", "zk", 0), failure -> {}))
                .hasMessageContaining("uniserve.zookeeper.embedded.tls.certificate-file");
    }

    @Test
    void aTakenPortIsToldByNumber() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Embedded settings = new Embedded(
                    "127.0.0.1",
                    taken.getLocalPort(),
                    data.resolve("taken"),
                    Duration.ofMillis(500),
                    Certificates.files(data, "zk", "clients", true));
            assertThatThrownBy(() -> EmbeddedZooKeeper.start(settings, failure -> {}))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                    .hasMessageContaining(taken.getLocalPort() + " (");
        }
    }

    @Test
    void changedFilesAreReadAgainAndWrongOnesAreNot() throws Exception {
        Path certificate = Files.copy(data.resolve("one.pem"), data.resolve("renewed.pem"));
        Path key = Files.copy(data.resolve("one.key"), data.resolve("renewed.key"));
        ZooKeeperTls tls = new ZooKeeperTls(
                "k", Optional.of(certificate), Optional.of(key), Optional.of(data.resolve("zk.pem")), true);
        Path folder;
        try (KeyStoreFiles files = new KeyStoreFiles(tls)) {
            folder = Path.of(files.identity()).getParent();
            byte[] first = Files.readAllBytes(Path.of(files.identity()));
            files.refresh();
            assertThat(Files.readAllBytes(Path.of(files.identity()))).isEqualTo(first);
            Files.copy(data.resolve("two.pem"), certificate, StandardCopyOption.REPLACE_EXISTING);
            Files.setLastModifiedTime(certificate, FileTime.fromMillis(1_000));
            files.refresh();
            assertThat(Files.readAllBytes(Path.of(files.identity())))
                    .as("half of a pair")
                    .isEqualTo(first);
            Files.copy(data.resolve("two.key"), key, StandardCopyOption.REPLACE_EXISTING);
            Files.setLastModifiedTime(key, FileTime.fromMillis(1_000));
            files.refresh();
            assertThat(Files.readAllBytes(Path.of(files.identity()))).isNotEqualTo(first);
            KeyStore unread = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(Path.of(files.identity()))) {
                assertThatThrownBy(() -> unread.load(in, "guess".toCharArray())).isInstanceOf(IOException.class);
            }
        }
        assertThat(folder).doesNotExist();
    }

    @Test
    void systemPropertiesOfTheProcessStayAsTheyAre() {
        ZooKeeperSettings settings =
                settings("one", "zookeeper.start-timeout", "30s").zookeeper();
        try (ZooKeeperConnection connection =
                        ZooKeeperConnection.open(ZooKeeperSecurity.of(settings), settings.connect(), 6_000, 30_000);
                ZooKeeperConnection other =
                        ZooKeeperConnection.open(ZooKeeperSecurity.NONE, "localhost:" + plain.port(), 6_000, 30_000)) {
            assertThat(connection.client().getState().isConnected()).isTrue();
            assertThat(other.client().getState().isConnected()).isTrue();
        }
        assertThat(System.getProperties().stringPropertyNames())
                .noneMatch(name -> name.startsWith("zookeeper.ssl.keyStore")
                        || name.startsWith("zookeeper.client")
                        || name.equals("zookeeper.serverCnxnFactory"));
    }
}
