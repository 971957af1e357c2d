package io.uniserve.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditOptions.FailurePolicy;
import io.uniserve.runtime.audit.AuditRecord;
import io.uniserve.runtime.audit.AuditTail;
import io.uniserve.runtime.config.AuditSettings;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.PemCertificates;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.certificate.ProcessCertificates;
import io.uniserve.runtime.transport.client.CertificateClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.server.Authorizer;
import io.uniserve.runtime.transport.server.GrpcServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renewal of certificates by a leading coordinator in mode closed, over TLS: of whom, and what the audit log has of it. */
class RenewalServiceTest {
    private static final Duration SHORT = Duration.ofMinutes(10);
    private static final Duration LONG = Duration.ofDays(90);
    private static final long TIMEOUT_NANOS = 10_000_000_000L;

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());

    @TempDir
    Path directory;

    private CertificateAuthority authority;
    private CertificateFiles own;
    private ReloadingTls tls;
    private AuditRecorder audit;
    private AccessControl access;
    private GrpcServer coordinator;
    private PublicKey key;

    @BeforeEach
    void start() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        key = generator.generateKeyPair().getPublic();
        authority = CertificateAuthority.create(directory.resolve("authority"), "main", now);
        own = authority.issueServer("c1", List.of("localhost"), now, LONG, directory.resolve("c1"));
        tls = ReloadingTls.read(files(own), SystemClock.INSTANCE);
        audit = AuditRecorder.open(
                new AuditSettings(
                        Optional.of(directory.resolve("audit")),
                        Limits.AUDIT_FILE_BYTES_DEFAULT,
                        Limits.AUDIT_FILES_DEFAULT,
                        FailurePolicy.REFUSE_CHANGES),
                "c1");
        SecuritySettings closed = new SecuritySettings(true, Set.of("root"));
        access = AccessControl.of(closed, audit);
        coordinator = GrpcServer.builder(ClusterIdentity.of("main"))
                .access(access)
                .certificates(new ProcessCertificates(
                        tls,
                        Optional.of(new AuthorityFolderSigner(
                                directory.resolve("authority"), LONG, SystemClock.INSTANCE)),
                        Duration.ofDays(30),
                        user -> user.startsWith("app"),
                        () -> true))
                .tls(tls)
                .authorizer(Authorizer.of(closed, "main"))
                .start("localhost", 0);
        access.setRules(Optional.of(AccessRules.NONE));
    }

    @AfterEach
    void stop() {
        coordinator.close();
        audit.close();
        tls.close();
    }

    private static TlsFiles files(CertificateFiles of) {
        return new TlsFiles(true, Optional.of(of.certificate()), Optional.of(of.key()), Optional.of(of.trust()), false);
    }

    private TlsFiles user(String name, Duration validity) {
        return files(authority.issueUser(name, now, validity, directory.resolve("user-" + name)));
    }

    private Outcome<String> renew(TlsFiles caller) {
        ClusterIdentity cluster = ClusterIdentity.of("main");
        try (ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, caller, cluster)) {
            CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
            new CertificateClient(channels, cluster)
                    .renew(new Address("localhost", coordinator.port()), key, TIMEOUT_NANOS, answer::complete);
            return answer.join();
        }
    }

    private void refused(TlsFiles caller, ErrorCode code, String reason) {
        Outcome<String> outcome = renew(caller);
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        assertThat(outcome.error().code()).as(outcome.error().getMessage()).isEqualTo(code);
        assertThat(outcome.error().getMessage()).contains(reason);
    }

    private List<AuditEvent> audited(String outcome) throws IOException {
        return new AuditTail(directory.resolve("audit"), line -> true, fault -> {})
                .last(100).stream()
                        .map(AuditRecord::event)
                        .filter(event -> event.outcome().name().equals(outcome)
                                && event.action().equals("uniserve.Certificates/Renew"))
                        .toList();
    }

    @Test
    void aUserThatIsNamedGetsACertificateOfItsOwnForItsKey() throws IOException {
        Outcome<String> outcome = renew(user("app-1", SHORT));
        assertThat(outcome).isInstanceOf(Outcome.Ok.class);
        Path renewed = Files.writeString(directory.resolve("renewed.pem"), ((Outcome.Ok<String>) outcome).value());
        X509Certificate leaf = PemCertificates.read("renewed", renewed).get(0);
        assertThat(CertifiedIdentity.of(leaf).map(Object::toString)).hasValue("uniserve://main/user/app-1");
        assertThat(leaf.getPublicKey()).isEqualTo(key);
        assertThat(leaf.getNotAfter()).isBefore(now.plus(LONG.plusDays(1)));
        assertThat(audited("OK")).singleElement().satisfies(event -> {
            assertThat(event.principal()).isEqualTo("user/app-1");
            assertThat(event.object()).startsWith("user/app-1");
        });
    }

    @Test
    void aUserThatIsNotNamedIsRefusedAndTheLogHasIt() throws IOException {
        refused(user("ann", SHORT), ErrorCode.UNAUTHORIZED, "add the name to security.renewal.users");
        assertThat(audited("REFUSED")).singleElement().satisfies(event -> {
            assertThat(event.principal()).isEqualTo("user/ann");
            assertThat(event.reason()).contains("security.renewal.users");
        });
        assertThat(audited("OK")).isEmpty();
    }

    @Test
    void othersAreRefused() throws IOException {
        refused(user("app-2", LONG), ErrorCode.INVALID_ARGUMENT, "not due");
        access.setRules(Optional.of(AccessRules.NONE.with(new Revocation("user/app-3"))));
        refused(user("app-3", SHORT), ErrorCode.UNAUTHORIZED, "revoked");
        TlsFiles none = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(own.trust()), false);
        refused(none, ErrorCode.UNAUTHORIZED, "no identity");
        access.setRules(Optional.empty());
        refused(user("app-4", SHORT), ErrorCode.UNAVAILABLE, "not read the rules");
        assertThat(audited("OK")).isEmpty();
    }
}
