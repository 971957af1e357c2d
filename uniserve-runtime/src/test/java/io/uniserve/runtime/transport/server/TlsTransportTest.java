package io.uniserve.runtime.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.TlsCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encryption and client certificates over real sockets. */
class TlsTransportTest {
    @TempDir
    static Path directory;

    @BeforeAll
    static void certificates() throws IOException, InterruptedException, GeneralSecurityException {
        Certificates.make(directory, "server");
        Certificates.make(directory, "client");
        Certificates.make(directory, "stranger");
    }

    private static void unavailable(TlsFiles server, TlsFiles client) {
        try (Loopback net = new Loopback(server, client, Authorizer.ALLOW_ALL)) {
            assertThatThrownBy(net::ping)
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isIn(ErrorCode.UNAVAILABLE, ErrorCode.OUTCOME_UNKNOWN));
        }
    }

    @Test
    void speaksOverMutualTlsAndKnowsTheCaller() {
        List<CallerIdentity> callers = new CopyOnWriteArrayList<>();
        Authorizer authorizer = (callerIdentity, method) -> callers.add(callerIdentity);
        try (Loopback net = new Loopback(
                Certificates.files(directory, "server", "client", true),
                Certificates.files(directory, "client", "server", false),
                authorizer)) {
            assertThat(net.ping()).isNotNull();
            assertThat(callers.get(0).principal()).contains("CN=client");
        }
    }

    @Test
    void refusesStrangersAndPlainText() {
        TlsFiles server = Certificates.files(directory, "server", "client", true);
        unavailable(server, Certificates.files(directory, "stranger", "server", false));
        unavailable(
                server,
                new TlsFiles(
                        true, Optional.empty(), Optional.empty(), Optional.of(directory.resolve("server.pem")), false));
        unavailable(server, TlsFiles.PLAIN);
        unavailable(server, Certificates.files(directory, "client", "stranger", false));
    }

    @Test
    void namesTheFileThatIsMissing() {
        TlsFiles absent =
                new TlsFiles(true, Optional.of(directory.resolve("no.pem")), Optional.empty(), Optional.empty(), false);
        assertThatThrownBy(() -> TlsCredentials.server(absent))
                .hasMessageContaining("no.pem")
                .hasMessageContaining("tls.certificate");
        TlsFiles unset = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.empty(), false);
        assertThatThrownBy(() -> TlsCredentials.server(unset)).hasMessageContaining("tls.certificate is not set");
    }
}
