package io.uniserve.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditRecord;
import io.uniserve.runtime.audit.AuditTail;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.Passwords;
import io.uniserve.runtime.security.PemCertificates;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.security.UserPassword;
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
import java.nio.charset.StandardCharsets;
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

    private static final AccessRules RULES = AccessRules.NONE
            .with(new RoleGrant("ann", Role.ADMIN, TablePattern.ALL))
            .with(new RoleGrant("app-1", Role.READER, new TablePattern("t")))
            .with(new RoleGrant("app-2", Role.MONITOR, TablePattern.ALL));

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
        tls = ReloadingTls.read(TestingProcess.files(own), SystemClock.INSTANCE);
        audit = TestingProcess.audit(directory.resolve("audit"), "c1");
        SecuritySettings closed = new SecuritySettings(true, Set.of("root"));
        access = AccessControl.of(closed, audit);
        coordinator = GrpcServer.builder(ClusterIdentity.of("main"))
                .access(access)
                .certificates(new ProcessCertificates(
                        tls,
                        Optional.of(
                                new AuthorityFolderSigner(directory.resolve("authority"), LONG, SystemClock.INSTANCE)),
                        Duration.ofDays(30),
                        user -> user.startsWith("app"),
                        () -> true))
                .tls(tls)
                .authorizer(Authorizer.of(closed, "main"))
                .start("localhost", 0);
        access.setRules(Optional.of(RULES));
    }

    @AfterEach
    void stop() {
        coordinator.close();
        audit.close();
        tls.close();
    }

    private TlsFiles user(String name, Duration validity) {
        return TestingProcess.files(authority.issueUser(name, now, validity, directory.resolve("user-" + name)));
    }

    private Outcome<String> renew(TlsFiles caller) {
        return renew(caller, Optional.empty());
    }

    private Outcome<String> renew(TlsFiles caller, Optional<UserPassword> login) {
        ClusterIdentity cluster = ClusterIdentity.of("main");
        try (ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, caller, cluster, login)) {
            CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
            new CertificateClient(channels, cluster)
                    .renew(new Address("localhost", coordinator.port()), key, TIMEOUT_NANOS, answer::complete);
            return answer.join();
        }
    }

    private static void refused(Outcome<String> outcome, ErrorCode code, String reason) {
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
    void aUserThatIsNamedGetsACertificateOfItsOwnForItsKey() throws Exception {
        TlsFiles app = user("app-1", SHORT);
        Outcome<String> outcome = renew(app);
        assertThat(outcome).isInstanceOf(Outcome.Ok.class);
        String chain = ((Outcome.Ok<String>) outcome).value();
        X509Certificate leaf =
                PemCertificates.parse(chain.getBytes(StandardCharsets.US_ASCII)).get(0);
        assertThat(CertifiedIdentity.of(leaf).map(Object::toString)).hasValue("uniserve://main/user/app-1");
        assertThat(leaf.getPublicKey()).isEqualTo(key);
        assertThat(leaf.getExtendedKeyUsage()).as("clientAuth alone").containsExactly("1.3.6.1.5.5.7.3.2");
        assertThat(leaf.getNotAfter()).as("as long as before").isBefore(now.plus(SHORT.multipliedBy(2)));
        assertThat(audited("OK")).singleElement().satisfies(event -> {
            assertThat(event.principal()).isEqualTo("user/app-1");
            assertThat(event.object())
                    .startsWith("user/app-1 sha256:")
                    .endsWith(" as " + CertificateSubject.fingerprint(leaf));
        });
        refused(renew(app), ErrorCode.RESOURCE_EXHAUSTED, "less than a minute ago");
        assertThat(audited("OK")).hasSize(1);
    }

    @Test
    void usersThatAreNotNamedOrHaveNoRoleAreRefusedAndTheLogHasIt() throws IOException {
        refused(renew(user("ann", SHORT)), ErrorCode.UNAUTHORIZED, "add the name to security.renewal.users");
        refused(renew(user("app-3", SHORT)), ErrorCode.UNAUTHORIZED, "has no role");
        await().untilAsserted(() -> assertThat(audited("REFUSED"))
                .extracting(AuditEvent::principal)
                .containsExactlyInAnyOrder("user/ann", "user/app-3"));
        assertThat(audited("REFUSED"))
                .allSatisfy(event -> assertThat(event.object()).startsWith(event.principal() + " sha256:"));
        assertThat(audited("OK")).isEmpty();
    }

    @Test
    void othersAreRefused() throws IOException {
        refused(renew(user("app-1", LONG)), ErrorCode.INVALID_ARGUMENT, "not due");
        access.setRules(Optional.of(RULES.with(new Revocation("user/app-2"))));
        refused(renew(user("app-2", SHORT)), ErrorCode.UNAUTHORIZED, "revoked");
        TlsFiles none = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(own.trust()), false);
        refused(renew(none), ErrorCode.UNAUTHORIZED, "no identity");
        UserCredential credential =
                Passwords.newCredential("app-1", "long secret".toCharArray(), Limits.PASSWORD_ITERATIONS_MIN);
        access.setUsers(
                Optional.of(new UserCredentials(Bytes.wrap(new byte[Limits.PASSWORD_KEY_BYTES]), List.of(credential))));
        refused(
                renew(none, Optional.of(new UserPassword("app-1", "long secret".toCharArray()))),
                ErrorCode.INVALID_ARGUMENT,
                "no certificate to renew");
        access.setRules(Optional.empty());
        refused(renew(user("app-4", SHORT)), ErrorCode.UNAVAILABLE, "not read the rules");
        assertThat(audited("OK")).isEmpty();
    }
}
