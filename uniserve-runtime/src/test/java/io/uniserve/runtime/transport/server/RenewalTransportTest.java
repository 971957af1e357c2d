package io.uniserve.runtime.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.UniserveException;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, keys and authorities that change while connections are open, over real sockets. */
class RenewalTransportTest {
    @TempDir
    static Path made;

    @TempDir
    Path files;

    private static final List<String> NAMES = List.of("server", "server-next", "client", "client-next", "stranger");

    @BeforeAll
    static void certificates() throws IOException, InterruptedException, GeneralSecurityException {
        for (String name : NAMES) {
            String kind = name.startsWith("server") ? "server/s1" : "user/ann";
            Certificates.make(made, name, "dns:localhost,uri:uniserve://cluster-a/" + kind);
        }
    }

    @BeforeEach
    void place() throws IOException {
        put("server", "server");
        put("client", "client");
        trust("server-trust", "server", "client");
        trust("client-trust", "server", "client");
    }

    /** Puts key and certificate of this name into the files of a process, the key first. */
    private void put(String process, String name) throws IOException {
        for (String suffix : List.of(".key", ".pem")) {
            Files.copy(
                    made.resolve(name + suffix), files.resolve(process + suffix), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Makes a process trust these certificates. */
    private void trust(String file, String... names) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String name : names) {
            all.append(Files.readString(made.resolve(name + ".pem")));
        }
        Path next = Files.writeString(files.resolve(file + ".tmp"), all);
        Files.move(next, files.resolve(file + ".pem"), StandardCopyOption.ATOMIC_MOVE);
    }

    private ReloadingTls tls(String process) {
        return ReloadingTls.read(Certificates.files(files, process, process + "-trust", true), SystemClock.INSTANCE);
    }

    private static Loopback connect(ReloadingTls server, ReloadingTls client, AccessControl access) {
        return new Loopback(server, client, access, ClusterIdentity.of(Loopback.CLUSTER));
    }

    @Test
    void newConnectionsUseTheNewCertificateAndOldOnesGoOn() throws IOException {
        try (ReloadingTls server = tls("server");
                ReloadingTls client = tls("client");
                Loopback net = connect(server, client, AccessControl.OPEN)) {
            assertThat(net.ping()).isNotNull();
            trust("server-trust", NAMES.toArray(String[]::new));
            trust("client-trust", NAMES.toArray(String[]::new));
            assertThat(server.reload()).isTrue();
            assertThat(client.reload()).isTrue();
            assertThat(net.ping()).isNotNull();
            put("server", "server-next");
            put("client", "client-next");
            assertThat(server.reload()).isTrue();
            assertThat(client.reload()).isTrue();
            assertThat(net.ping()).isNotNull();
            trust("server-trust", "server-next", "client-next");
            trust("client-trust", "server-next", "client-next");
            assertThat(server.reload()).isTrue();
            assertThat(client.reload()).isTrue();
            assertThat(net.ping()).isNotNull();
            assertThat(server.reloads()).isEqualTo(3);
            assertThat(server.failures()).isZero();
            assertThat(client.authorities()).hasSize(2);
        }
    }

    @Test
    void filesThatDoNotFitAreNotUsed() throws IOException {
        try (ReloadingTls server = tls("server");
                ReloadingTls client = tls("client");
                Loopback net = connect(server, client, AccessControl.OPEN)) {
            Files.copy(
                    made.resolve("server-next.pem"), files.resolve("server.pem"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(server.reload()).as("the key is still the old one").isFalse();
            put("server", "client");
            assertThat(server.reload()).as("another identity").isFalse();
            Files.writeString(files.resolve("server-trust.pem"), "");
            assertThat(server.reload()).isFalse();
            Files.delete(files.resolve("server.key"));
            assertThat(server.reload()).isFalse();
            assertThat(server.failures()).isEqualTo(4);
            net.channels.replaceAll();
            assertThat(net.ping()).isNotNull();
        }
    }

    @Test
    void theFilesAreFollowed() throws IOException {
        try (ReloadingTls server =
                ReloadingTls.open(Certificates.files(files, "server", "server-trust", true), SystemClock.INSTANCE)) {
            trust("server-trust", "server", "client", "server-next");
            await().until(() -> server.reloads() == 1);
            put("server", "server-next");
            await().until(() -> server.reloads() == 2);
        }
    }

    @Test
    void aConnectionOfAnAuthorityThatIsTakenOutIsClosed() throws IOException {
        try (ReloadingTls server = tls("server");
                ReloadingTls client = tls("client");
                Loopback net = connect(server, client, AccessControl.OPEN)) {
            assertThat(net.ping()).isNotNull();
            trust("server-trust", "stranger");
            put("server", "server");
            // The server's own certificate is covered by no authority of the new file, so the file must have it.
            assertThat(server.reload()).isFalse();
            trust("server-trust", "stranger", "server");
            assertThat(server.reload()).isTrue();
            await().untilAsserted(() -> assertThatThrownBy(net::ping).isInstanceOf(UniserveException.class));
            trust("server-trust", "client", "server");
            assertThat(server.reload()).isTrue();
            await().untilAsserted(() -> assertThat(net.ping()).isNotNull());
        }
    }

    @Test
    void aRevokedCallerLosesItsConnectionsAndMakesNoCalls() {
        AccessControl access = AccessControl.of(new SecuritySettings(true, Set.of("ann")), AuditRecorder.NONE);
        access.setRules(Optional.of(AccessRules.NONE));
        try (ReloadingTls server = tls("server");
                ReloadingTls client = tls("client");
                Loopback net = connect(server, client, access)) {
            assertThat(net.ping()).isNotNull();
            access.setRules(Optional.of(AccessRules.NONE.with(new Revocation("user/ann"))));
            // The connection is closed meanwhile; on the next one the reason is in the answer.
            await().untilAsserted(() -> assertThatThrownBy(net::ping).hasMessageContaining("revoked"));
            access.setRules(Optional.of(AccessRules.NONE));
            await().untilAsserted(() -> assertThat(net.ping()).isNotNull());
        }
    }

    @Test
    void oldConnectionsAreReplacedWithoutAFailedCall() {
        try (ReloadingTls server = tls("server");
                ReloadingTls client = tls("client");
                Loopback net = connect(server, client, AccessControl.OPEN)) {
            net.channels.setConnectionAge(TimeUnit.MILLISECONDS.toNanos(1));
            for (int i = 0; i < 200; i++) {
                assertThat(net.ping()).isNotNull();
            }
        }
    }
}
