package io.uniserve.runtime.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.TlsCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Encryption and client certificates over real sockets. */
class TlsTransportTest {
    @TempDir
    static Path directory;

    @BeforeAll
    static void certificates() throws IOException, InterruptedException, GeneralSecurityException {
        Certificates.make(directory, "server");
        Certificates.make(directory, "client");
        Certificates.make(directory, "stranger");
        Certificates.make(directory, "elsewhere", "dns:elsewhere.example.org");
        Certificates.make(directory, "peer", "uri:uniserve://cluster-a/server/s1");
        Certificates.make(directory, "other", "dns:localhost,uri:uniserve://cluster-b/server/s1");
        Certificates.make(directory, "user", "dns:localhost,uri:uniserve://cluster-a/user/ann");
        Certificates.make(directory, "damaged", "dns:elsewhere.example.org,uri:uniserve://cluster-a/servers/s1");
        Certificates.make(directory, "twice", "uri:uniserve://cluster-a/server/s1,uri:uniserve://cluster-a/server/s2");
    }

    /** Connects to a server with the certificate of this name, which the caller trusts. */
    private static Loopback connect(String name, ClusterIdentity cluster) {
        return new Loopback(
                Certificates.files(directory, name, "client", true),
                Certificates.files(directory, "client", name, false),
                Authorizer.ALLOW_ALL,
                cluster);
    }

    @Test
    void theIdentityOfAServerReplacesItsHostName() {
        for (ClusterIdentity cluster : List.of(ClusterIdentity.of("cluster-a"), ClusterIdentity.unknown())) {
            try (Loopback net = connect("peer", cluster)) {
                assertThat(net.ping()).isNotNull();
            }
        }
        try (Loopback net = connect("other", ClusterIdentity.unknown())) {
            assertThat(net.ping()).as("a client does not know its cluster yet").isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"elsewhere", "other", "user", "damaged", "twice"})
    void otherCertificatesAreRefused(String name) {
        try (Loopback net = connect(name, ClusterIdentity.of("cluster-a"))) {
            assertThatThrownBy(net::ping).isInstanceOf(UniserveException.class);
        }
    }

    @Test
    void aUserIsNoServerForAClientEither() {
        try (Loopback net = connect("user", ClusterIdentity.unknown())) {
            assertThatThrownBy(net::ping).isInstanceOf(UniserveException.class);
        }
    }

    @Test
    void aServerThatNoAuthorityCoversIsRefused() {
        try (Loopback net = new Loopback(
                Certificates.files(directory, "peer", "client", true),
                Certificates.files(directory, "client", "server", false),
                Authorizer.ALLOW_ALL,
                ClusterIdentity.of("cluster-a"))) {
            assertThatThrownBy(net::ping).isInstanceOf(UniserveException.class);
        }
    }

    @Test
    void aFileWithoutAuthoritiesIsNamed() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty.pem"), "no certificate\n");
        Path broken = Files.writeString(
                directory.resolve("broken.pem"),
                Files.readString(directory.resolve("server.pem")).substring(0, 200));
        for (Path file : List.of(empty, broken, directory)) {
            TlsFiles tls = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(file), false);
            assertThatThrownBy(() -> ReloadingTls.read(tls, SystemClock.INSTANCE))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                    .hasMessageContaining("tls.trust")
                    .hasMessageContaining(file.toString());
        }
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
        assertThatThrownBy(() -> ReloadingTls.read(absent, SystemClock.INSTANCE))
                .hasMessageContaining("no.pem")
                .hasMessageContaining("tls.certificate");
        TlsFiles unset = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.empty(), false);
        assertThatThrownBy(() -> TlsCredentials.server(ReloadingTls.read(unset, SystemClock.INSTANCE), false))
                .hasMessageContaining("tls.certificate-file is not set");
    }
}
