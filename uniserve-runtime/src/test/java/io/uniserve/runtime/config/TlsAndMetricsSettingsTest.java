package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.runtime.config.MetricsSettings.Access;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsAndMetricsSettingsTest {
    @Test
    void defaults() {
        assertThat(Settings.defaults().tls()).isEqualTo(TlsFiles.PLAIN);
        assertThat(Settings.defaults().metrics(ListenerKind.SERVER))
                .isEqualTo(new MetricsSettings(false, "127.0.0.1", 9464, false, Access.ANYONE));
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
        assertThat(settings.metrics(ListenerKind.SERVER))
                .as("closed, because the server listens on all interfaces")
                .isEqualTo(new MetricsSettings(true, "0.0.0.0", 1, true, Access.MONITOR));
    }

    @ParameterizedTest
    @CsvSource({
        "closed, 127.0.0.1, '', false, ANYONE, false",
        "closed, 127.0.0.1, 'tls = true', true, ANYONE, false",
        "closed, localhost, 'tls = true, access = monitor', true, MONITOR, false",
        "closed, 0.0.0.0, '', true, MONITOR, false",
        "closed, 10.1.2.3, 'access = anyone', true, ANYONE, true",
        "closed, 0.0.0.0, 'access = anyone, tls = false', false, ANYONE, true",
        "open, 0.0.0.0, '', false, ANYONE, true",
        "open, 127.0.0.1, 'tls = true', true, ANYONE, false"
    })
    void metricsAreForMonitorsBeyondLoopback(
            String mode,
            String host,
            String more,
            boolean tls,
            Access access,
            boolean warned,
            @TempDir Path directory) {
        MetricsSettings settings = metrics(directory, mode, "host = " + host + ", " + more);
        assertThat(settings).isEqualTo(new MetricsSettings(true, host, 9464, tls, access));
        assertThat(settings.isOpenToNetwork()).isEqualTo(warned);
    }

    @ParameterizedTest
    @CsvSource({
        "closed, 'host = 0.0.0.0, tls = false', access = anyone",
        "closed, 'access = monitor', tls = true",
        "closed, 'access = all', monitor or anyone",
        "closed, 'tls = maybe', true or false",
        "open, 'access = monitor', security.mode = closed",
        "plain, 'tls = true', tls.enabled = true"
    })
    void metricsThatCannotJudgeTheirCallersAreRefused(
            String mode, String settings, String remedy, @TempDir Path directory) {
        assertThatThrownBy(() -> metrics(directory, mode, settings)).hasMessageContaining(remedy);
    }

    private static MetricsSettings metrics(Path directory, String mode, String settings) {
        String files = mode.equals("plain")
                ? ""
                : "uniserve.tls { enabled = true, certificate-file = /c.pem, key-file = /k.pem, trust-file = /t.pem }";
        return TestingTableConfigFiles.load(
                        directory,
                        "uniserve.security.mode = " + (mode.equals("plain") ? "open" : mode) + "\n" + files
                                + "\nuniserve.metrics.prometheus { enabled = true, " + settings + " }")
                .metrics(ListenerKind.SERVER);
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
