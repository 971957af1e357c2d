package io.uniserve.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.runtime.audit.AuditRecord;
import io.uniserve.runtime.audit.AuditTail;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.config.MetricsSettings.Access;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.metrics.DaemonHealthCheck;
import io.uniserve.runtime.metrics.MetricsServer;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Metrics and health pages of a process in mode closed, over TLS, with the files of a real authority. */
class MetricsAccessTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final int WAIT_MS = 10_000;
    private static final String OK = "HTTP/1.1 200 ";
    private static final String FORBIDDEN = "HTTP/1.1 403 ";
    private static final String SECRET = "table payroll";

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    private final EventLoop loop = new EventLoop("test", SystemClock.INSTANCE, failure -> {});
    private final List<AutoCloseable> opened = new ArrayList<>();

    @TempDir
    Path directory;

    private CertificateAuthority authority;
    private CertificateFiles server;
    private ReloadingTls tls;
    private AuditRecorder audit;
    private AccessControl access;
    private AccessRules rules = AccessRules.NONE;

    @BeforeEach
    void open() {
        authority = CertificateAuthority.create(directory.resolve("authority"), "main", now);
        server = authority.issueServer("s1", List.of("localhost"), now, DAY, directory.resolve("s1"));
        tls = ReloadingTls.read(TestingProcess.files(server), SystemClock.INSTANCE);
        audit = TestingProcess.audit(directory.resolve("audit"), "s1");
        access = AccessControl.of(new SecuritySettings(true, Set.of("root")), audit);
        for (Role role : Role.values()) {
            rules = rules.with(new RoleGrant(role.text(), role, TablePattern.ALL));
        }
        access.setRules(Optional.of(rules));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : opened) {
            resource.close();
        }
        audit.close();
        tls.close();
        loop.close();
    }

    private TlsFiles user(String name) {
        return TestingProcess.files(authority.issueUser(name, now, DAY, directory.resolve("user-" + name)));
    }

    private TlsFiles noCertificate() {
        return new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(server.trust()), false);
    }

    private MetricsServer serve(Access who) {
        MetricsServer metrics = new MetricsServer(new MetricsSettings(true, "127.0.0.1", 0, true, who), tls);
        opened.add(metrics);
        metrics.access(access, "main");
        metrics.health(new DaemonHealthCheck(loop, () -> List.of(SECRET)));
        return metrics;
    }

    private static SSLSocket connect(MetricsServer metrics, TlsFiles caller)
            throws IOException, GeneralSecurityException {
        ReloadingTls own = ReloadingTls.read(caller, SystemClock.INSTANCE);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {own.keyManager()}, new TrustManager[] {own.trustManager()}, null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", metrics.port());
        socket.setSoTimeout(WAIT_MS);
        return socket;
    }

    private static String get(MetricsServer metrics, String path, TlsFiles caller)
            throws IOException, GeneralSecurityException {
        try (Socket socket = caller.enabled() ? connect(metrics, caller) : new Socket("127.0.0.1", metrics.port())) {
            socket.setSoTimeout(WAIT_MS);
            write(socket, path, "1.0");
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void write(Socket socket, String path, String version) throws IOException {
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/" + version + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static String readHead(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int next = socket.getInputStream().read(); next != '\n' && next >= 0; ) {
            head.append((char) next);
            next = socket.getInputStream().read();
        }
        return head.toString();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void metricsAndDetailsAreForRolesWithTheRightToMonitor(Role role) throws Exception {
        MetricsServer metrics = serve(Access.MONITOR);
        TlsFiles caller = user(role.text());
        boolean may = role == Role.ADMIN || role == Role.OPERATOR || role == Role.MONITOR;
        String reply = get(metrics, "/metrics", caller);
        if (may) {
            assertThat(reply).startsWith(OK).contains("text/plain; version=0.0.4");
        } else {
            assertThat(reply)
                    .startsWith(FORBIDDEN)
                    .contains("{\"error\":\"UNAUTHORIZED\",\"message\":\"user " + role.text())
                    .contains("uniserve grant " + role.text() + " monitor");
        }
        assertThat(get(metrics, "/live", caller)).startsWith(OK).contains("\"live\":true");
        String ready = get(metrics, "/ready", caller);
        assertThat(ready).startsWith("HTTP/1.1 503 ").contains("\"ready\":false", "\"count\":1");
        assertThat(ready.contains(SECRET)).isEqualTo(may);
    }

    @Test
    void processesAndUsersOfTheSettingsMayMonitor() throws Exception {
        MetricsServer metrics = serve(Access.MONITOR);
        assertThat(get(metrics, "/metrics", TestingProcess.files(server))).startsWith(OK);
        assertThat(get(metrics, "/metrics", user("root"))).startsWith(OK);
    }

    @Test
    void aScrapeWithoutACertificateIsRefusedWithTheRemedyAndProbesWork() throws Exception {
        MetricsServer metrics = serve(Access.MONITOR);
        assertThat(get(metrics, "/metrics", noCertificate()))
                .startsWith(FORBIDDEN)
                .contains("application/json", "it has no certificate", "uniserve grant NAME monitor");
        assertThat(get(metrics, "/metrics", TlsFiles.PLAIN))
                .startsWith(FORBIDDEN)
                .contains("needs https");
        for (TlsFiles probe : List.of(noCertificate(), TlsFiles.PLAIN)) {
            assertThat(get(metrics, "/live", probe)).startsWith(OK).endsWith("{\"live\":true,\"count\":0}\n");
            assertThat(get(metrics, "/ready", probe)).endsWith("{\"ready\":false,\"count\":1}\n");
            assertThat(get(metrics, "/other", probe)).startsWith("HTTP/1.1 404 ");
        }
        audit.close();
        List<AuditRecord> lines = new AuditTail(directory.resolve("audit"), line -> true, fault -> {}).last(10);
        assertThat(lines).hasSize(2).allSatisfy(line -> {
            assertThat(line.event().action()).isEqualTo("GET /metrics");
            assertThat(line.event().address()).contains("127.0.0.1");
            assertThat(line.event().outcome().name()).isEqualTo("REFUSED");
        });
    }

    @Test
    void certificatesOfStrangersFailAndThoseOfAnotherClusterAreRefused() throws Exception {
        CertificateAuthority other = CertificateAuthority.create(directory.resolve("other"), "other", now);
        CertificateFiles stranger = other.issueUser("monitor", now, DAY, directory.resolve("stranger"));
        TlsFiles caller = new TlsFiles(
                true,
                Optional.of(stranger.certificate()),
                Optional.of(stranger.key()),
                Optional.of(server.trust()),
                false);
        MetricsServer metrics = serve(Access.MONITOR);
        assertThatThrownBy(() -> get(metrics, "/live", caller)).isInstanceOf(IOException.class);
        Files.writeString(
                directory.resolve("both.pem"), Files.readString(server.trust()) + Files.readString(stranger.trust()));
        Files.move(directory.resolve("both.pem"), server.trust(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(tls.reload()).isTrue();
        assertThat(get(metrics, "/metrics", caller)).startsWith(FORBIDDEN).contains("not of cluster main");
        assertThat(get(metrics, "/live", caller)).startsWith(FORBIDDEN);
    }

    @Test
    void revocationsRulesAndOtherAuthoritiesHoldOnOpenConnections() throws Exception {
        MetricsServer metrics = serve(Access.MONITOR);
        try (SSLSocket open = connect(metrics, user("monitor"))) {
            assertThat(next(open)).startsWith(OK);
            access.setRules(Optional.of(AccessRules.NONE));
            assertThat(next(open)).as("no rule").startsWith(FORBIDDEN);
            access.setRules(Optional.empty());
            assertThat(next(open)).as("damaged rules").startsWith("HTTP/1.1 503 ");
            access.setRules(Optional.of(rules.with(new Revocation("user/monitor"))));
            assertThat(next(open)).as("revoked").startsWith(FORBIDDEN);
            access.setRules(Optional.of(rules));
            assertThat(next(open)).startsWith(OK);
            CertificateAuthority other = CertificateAuthority.create(directory.resolve("other"), "main", now);
            CertificateFiles renewed = other.issueServer("s1", List.of(), now, DAY, directory.resolve("renewed"));
            Files.copy(renewed.trust(), server.trust(), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(renewed.certificate(), server.certificate(), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(renewed.key(), server.key(), StandardCopyOption.REPLACE_EXISTING);
            assertThat(tls.reload()).isTrue();
            assertThat(next(open)).as("no authority").startsWith(FORBIDDEN);
            TlsFiles probe =
                    new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(renewed.trust()), false);
            try (SSLSocket later = connect(metrics, probe)) {
                assertThat(next(later)).startsWith(FORBIDDEN);
                assertThat(((X509Certificate) later.getSession().getPeerCertificates()[0]).getIssuerX500Principal())
                        .isEqualTo(tls.authorities().get(0).getSubjectX500Principal());
            }
        }
    }

    /** Status line of the next reply of an open connection. The rest of it is read too. */
    private static String next(SSLSocket socket) throws IOException {
        write(socket, "/metrics", "1.1");
        String status = readHead(socket);
        int length = 0;
        for (String line = readHead(socket).strip();
                !line.isEmpty();
                line = readHead(socket).strip()) {
            if (line.startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        assertThat(socket.getInputStream().readNBytes(length)).hasSize(length);
        return status;
    }

    @Test
    void anyoneMayReadWhatTheSettingsOpen() throws Exception {
        MetricsServer metrics = serve(Access.ANYONE);
        assertThat(get(metrics, "/metrics", noCertificate())).startsWith(OK);
        assertThat(get(metrics, "/ready", noCertificate())).contains(SECRET);
        assertThat(get(metrics, "/metrics", TlsFiles.PLAIN))
                .startsWith(FORBIDDEN)
                .contains("needs https");
    }

    @Test
    void aSilentHandshakeDoesNotHoldOthers() throws Exception {
        MetricsServer metrics = serve(Access.MONITOR);
        try (Socket silent = new Socket("127.0.0.1", metrics.port())) {
            silent.getOutputStream().write(new byte[] {22, 3, 1, 2, 0}); // head of a TLS record
            assertThat(get(metrics, "/live", noCertificate())).startsWith(OK);
        }
    }
}
