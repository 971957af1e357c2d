package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
