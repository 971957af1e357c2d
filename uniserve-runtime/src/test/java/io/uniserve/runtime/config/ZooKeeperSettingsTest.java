package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ZooKeeperSettings.Access;
import io.uniserve.runtime.config.ZooKeeperSettings.Scheme;
import io.uniserve.runtime.config.ZooKeeperSettings.Tls;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZooKeeperSettingsTest {
    private static final TlsFiles NO_TLS =
            new TlsFiles(false, Optional.empty(), Optional.empty(), Optional.empty(), true);

    private static ZooKeeperSettings load(String... keysAndValues) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put("uniserve." + keysAndValues[i], keysAndValues[i + 1]);
        }
        return Settings.load(Optional.empty(), values).zookeeper();
    }

    private static void refused(String remedy, String... keysAndValues) {
        assertThatThrownBy(() -> load(keysAndValues)).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
            assertThat(e.reason()).contains(remedy);
        });
    }

    @Test
    void incompleteIdentitiesAreRefused() {
        refused("digest or x509", "zookeeper.access.scheme", "sasl");
        refused("digest or x509", "zookeeper.access.scheme", "Digest");
        refused("zookeeper.access.password-file is \"\"", "zookeeper.access.scheme", "digest");
        refused(
                "zookeeper.access.user",
                "zookeeper.access.scheme",
                "digest",
                "zookeeper.access.user",
                "a:b",
                "zookeeper.access.password-file",
                "/p");
        refused("uniserve.zookeeper.tls.enabled = true", "zookeeper.access.scheme", "x509");
        refused("certificate-file", "zookeeper.access.scheme", "x509", "zookeeper.tls.enabled", "true");
        refused("security issue zookeeper", "zookeeper.embedded.tls.enabled", "true");
    }

    @Test
    void filesThatAreNotSetAreThoseOfTheProcess() {
        ZooKeeperSettings settings = load(
                "tls.certificate-file",
                "/c",
                "tls.key-file",
                "/k",
                "tls.trust-file",
                "/t",
                "zookeeper.tls.trust-file",
                "/z",
                "zookeeper.embedded.tls.key-file",
                "/e");
        assertThat(settings.tls())
                .isEqualTo(new Tls(
                        false,
                        Optional.of(Path.of("/c")),
                        Optional.of(Path.of("/k")),
                        Optional.of(Path.of("/z")),
                        true));
        assertThat(settings.embedded().tls().key()).contains(Path.of("/e"));
        assertThat(settings.embedded().tls().trust()).contains(Path.of("/t"));
    }

    @Test
    void defaults() {
        ZooKeeperSettings settings = Settings.defaults().zookeeper();
        assertThat(settings)
                .isEqualTo(new ZooKeeperSettings(
                        "uniserve",
                        "localhost:2181",
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(60),
                        new Access(Scheme.NONE, "uniserve", Optional.empty(), false),
                        new Tls(false, Optional.empty(), Optional.empty(), Optional.empty(), true),
                        new ZooKeeperSettings.Embedded(
                                "0.0.0.0", 2181, Path.of("data/zookeeper"), Duration.ofMillis(500), NO_TLS)));
        assertThat(settings.root()).isEqualTo("/uniserve/uniserve");
    }

    @Test
    void fullMapping(@TempDir Path directory) {
        String text = """
                uniserve {
                  cluster = search
                  zookeeper {
                    connect = "a:1,b:2", session-timeout = 10s, connect-timeout = 1s, start-timeout = 2s
                    access { scheme = digest, user = ops, password-file = /p, migration = true }
                    tls { enabled = true, certificate-file = /c, key-file = /k, check-host-name = false }
                    embedded { host = localhost, port = 0, data-dir = /zk, tick = 1s }
                  }
                }
                """;
        assertThat(TestingTableConfigFiles.load(directory, text).zookeeper())
                .isEqualTo(new ZooKeeperSettings(
                        "search",
                        "a:1,b:2",
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        new Access(Scheme.DIGEST, "ops", Optional.of(Path.of("/p")), true),
                        new Tls(true, Optional.of(Path.of("/c")), Optional.of(Path.of("/k")), Optional.empty(), false),
                        new ZooKeeperSettings.Embedded("localhost", 0, Path.of("/zk"), Duration.ofSeconds(1), NO_TLS)));
    }
}
