package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsAndMetricsSettingsTest {
    @Test
    void defaults() {
        assertThat(Settings.defaults().tls()).isEqualTo(TlsFiles.PLAIN);
        assertThat(Settings.defaults().metrics()).isEqualTo(new MetricsSettings(false, "127.0.0.1", 9464));
    }

    @Test
    void fullMapping(@TempDir Path directory) {
        String text = """
                uniserve.tls {
                  enabled = true, certificate-file = /c.pem, key-file = /k.pem, trust-file = /t.pem
                  require-client-certificate = true
                }
                uniserve.metrics.prometheus { enabled = true, host = 0.0.0.0, port = 1 }
                """;
        Settings settings = TestingTableConfigFiles.load(directory, text);
        assertThat(settings.tls())
                .isEqualTo(new TlsFiles(
                        true,
                        Optional.of(Path.of("/c.pem")),
                        Optional.of(Path.of("/k.pem")),
                        Optional.of(Path.of("/t.pem")),
                        true));
        assertThat(settings.metrics()).isEqualTo(new MetricsSettings(true, "0.0.0.0", 1));
    }

    @Test
    void closedModeNeedsFilesAndCertificatesOfCallers(@TempDir Path directory) {
        Settings open = TestingTableConfigFiles.load(directory, "uniserve.server.host = 127.0.0.1");
        assertThat(open.security(ListenerKind.SERVER)).isEqualTo(new SecuritySettings(false, Set.of("admin")));
        assertThat(open.serverTls(ListenerKind.SERVER)).isEqualTo(TlsFiles.PLAIN);
        Settings closed = TestingTableConfigFiles.load(directory, """
                uniserve.security.mode = closed
                uniserve.tls { enabled = true, certificate-file = /c.pem, key-file = /k.pem, trust-file = /t.pem }
                """);
        assertThat(closed.security(ListenerKind.SERVER).closed()).isTrue();
        assertThat(closed.serverTls(ListenerKind.SERVER))
                .as("a certificate is requested, not required")
                .isEqualTo(closed.tls());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "uniserve.tls { certificate-file = /c.pem, key-file = /k.pem, trust-file = /t.pem }",
                "uniserve.tls { enabled = true, key-file = /k.pem, trust-file = /t.pem }",
                "uniserve.tls { enabled = true, certificate-file = /c.pem, key-file = /k.pem }"
            })
    void closedModeWithoutAFileIsRefused(String tls, @TempDir Path directory) {
        Settings settings = TestingTableConfigFiles.load(directory, "uniserve.security.mode = closed\n" + tls);
        assertThatThrownBy(() -> settings.security(ListenerKind.SERVER))
                .hasMessageContaining("uniserve security init")
                .hasMessageContaining("uniserve security issue");
    }

    @Test
    void anotherModeIsRefused(@TempDir Path directory) {
        Settings settings = TestingTableConfigFiles.load(directory, "uniserve.security.mode = ajar");
        assertThatThrownBy(() -> settings.security(ListenerKind.SERVER)).hasMessageContaining("use open or closed");
    }
}
