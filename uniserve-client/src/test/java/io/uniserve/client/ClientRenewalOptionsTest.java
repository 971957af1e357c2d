package io.uniserve.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options for the renewal of a client's certificate: in a file, in the program, and what takes their place. */
class ClientRenewalOptionsTest {
    private static final Path TRUST = Path.of("/trust.pem");
    private static final Path CERTIFICATE = Path.of("/app.pem");
    private static final Path KEY = Path.of("/app.key");
    private static final String FILES = """
            uniserve.tls { enabled = true, trust-file = /trust.pem, certificate-file = /app.pem, key-file = /app.key }
            """;

    @TempDir
    Path directory;

    private UniserveClientBuilder file(String text) throws IOException {
        Path file = Files.writeString(
                directory.resolve("app.conf"),
                "uniserve { client.renew-certificate = true, security.renewal.before = 48h }\n" + text);
        return UniserveClient.builder().config(file);
    }

    private static UniserveClientBuilder program() {
        return UniserveClient.builder().bootstrap("localhost:7070");
    }

    private static void refused(UniserveClientBuilder builder, String... parts) {
        assertThatThrownBy(builder::options).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(e.reason()).contains("renewCertificate").contains(parts);
        });
    }

    @Test
    void noClientRenewsByDefault() {
        assertThat(program().tls(TRUST, CERTIFICATE, KEY).options().renewBefore())
                .isEmpty();
    }

    @Test
    void aFileOrTheProgramRequestsIt() throws IOException {
        assertThat(file(FILES).options().renewBefore()).hasValue(Duration.ofHours(48));
        assertThat(file("").tls(TRUST, CERTIFICATE, KEY).options().renewBefore())
                .as("files of the program")
                .hasValue(Duration.ofHours(48));
        assertThat(program()
                        .renewCertificate(Duration.ofDays(1))
                        .tls(TRUST, CERTIFICATE, KEY)
                        .options()
                        .renewBefore())
                .hasValue(Duration.ofDays(1));
    }

    @Test
    void laterSettingsTakeThePlaceOfTheFile() throws IOException {
        assertThat(file(FILES).renewCertificate(Duration.ofDays(1)).options().renewBefore())
                .hasValue(Duration.ofDays(1));
        assertThat(file(FILES).withoutRenewal().options().renewBefore()).isEmpty();
        assertThat(file(FILES)
                        .tls(TRUST)
                        .user("ann", "long secret".toCharArray())
                        .options()
                        .renewBefore())
                .isEmpty();
        assertThat(file(FILES).tls(TRUST).options().renewBefore()).isEmpty();
    }

    @Test
    void whatCannotBeRenewedIsRefused() throws IOException {
        refused(file(""), "tls.enabled", "tls.certificate-file", "client.renew-certificate = false");
        refused(file(FILES.replace("enabled = true", "enabled = false")), "tls.enabled");
        refused(program().tls(TRUST).renewCertificate(Duration.ofDays(1)), "tls.key-file");
        for (Duration wrong : new Duration[] {Duration.ZERO, Duration.ofDays(-1), ChronoUnit.FOREVER.getDuration()}) {
            refused(program().tls(TRUST, CERTIFICATE, KEY).renewCertificate(wrong), wrong.toString(), "PT1S");
        }
    }
}
