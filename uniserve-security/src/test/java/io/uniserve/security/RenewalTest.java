package io.uniserve.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.PemCertificates;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.certificate.CertificateSigner;
import io.uniserve.runtime.transport.certificate.ProcessCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renewal of certificates: which are due, what a coordinator signs, and what a process takes. */
class RenewalTest {
    private static final Duration BEFORE = Duration.ofDays(30);
    private static final Duration SHORT = Duration.ofMinutes(10);

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());

    @TempDir
    Path directory;

    private CertificateAuthority authority;
    private CertificateSigner signer;

    @BeforeEach
    void make() {
        authority = CertificateAuthority.create(directory.resolve("authority"), "main", now);
        signer = new AuthorityFolderSigner(directory.resolve("authority"), Duration.ofDays(90), SystemClock.INSTANCE);
    }

    private X509Certificate issue(String name, Duration validity, String... hosts) {
        CertificateFiles files = authority.issueServer(name, List.of(hosts), now, validity, directory.resolve(name));
        return PemCertificates.read("certificate", files.certificate()).get(0);
    }

    private static List<String> names(X509Certificate certificate) throws CertificateParsingException {
        return Objects.requireNonNull(certificate.getSubjectAlternativeNames()).stream()
                .map(List::toString)
                .sorted()
                .toList();
    }

    private static PublicKey key() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair().getPublic();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String renew(ProcessCertificates process, X509Certificate current) {
        CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
        process.renew(current, key(), answer::complete);
        Outcome<String> outcome = answer.join();
        if (outcome instanceof Outcome.Ok<String> ok) {
            return ok.value();
        }
        throw outcome.error();
    }

    private static ErrorCode code(ThrowingCallable call) {
        Throwable thrown = ThrowableAssert.catchThrowable(call);
        assertThat(thrown).isInstanceOf(UniserveException.class);
        return ((UniserveException) thrown).code();
    }

    @Test
    void aCertificateIsDueBeforeItsEndAndNeverInItsFirstTwoThirds() {
        long wall = now.toEpochMilli();
        assertThat(CertificateRenewer.isDue(issue("long", Duration.ofDays(90)), BEFORE, wall))
                .isFalse();
        X509Certificate month = issue("month", Duration.ofDays(29));
        assertThat(CertificateRenewer.isDue(month, BEFORE, wall)).as("new").isFalse();
        assertThat(CertificateRenewer.isDue(
                        month, BEFORE, wall + Duration.ofDays(20).toMillis()))
                .isTrue();
        assertThat(CertificateRenewer.isDue(
                        month, Duration.ofDays(1), wall + Duration.ofDays(20).toMillis()))
                .isFalse();
    }

    @Test
    void onlyTheLeaderSignsAndOnlyWhatIsDue() throws IOException, CertificateParsingException {
        X509Certificate due = issue("due", SHORT, "due.example.org");
        ReloadingTls tls = ReloadingTls.read(TlsFiles.PLAIN, SystemClock.INSTANCE);
        ProcessCertificates leader =
                new ProcessCertificates(tls, Optional.of(signer), BEFORE, "app"::equals, () -> true);
        Path renewed = Files.writeString(directory.resolve("renewed.pem"), renew(leader, due));
        X509Certificate made = PemCertificates.read("renewed", renewed).get(0);
        assertThat(CertifiedIdentity.of(made)).isEqualTo(CertifiedIdentity.of(due));
        assertThat(names(made)).hasSize(2).isEqualTo(names(due));
        assertThat(made.getNotAfter()).isAfter(due.getNotAfter());

        assertThat(code(() -> renew(leader, issue("fresh", Duration.ofDays(90)))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        ProcessCertificates standby =
                new ProcessCertificates(tls, Optional.of(signer), BEFORE, "app"::equals, () -> false);
        assertThat(code(() -> renew(standby, due))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(code(() -> renew(new ProcessCertificates(tls), due))).isEqualTo(ErrorCode.UNSUPPORTED);
        X509Certificate foreign = PemCertificates.read(
                        "certificate",
                        CertificateAuthority.create(directory.resolve("other"), "other", now)
                                .issueServer("due", List.of(), now, SHORT, directory.resolve("foreign"))
                                .certificate())
                .get(0);
        assertThat(code(() -> renew(leader, foreign))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(code(() -> leader.checkRenewable(Optional.empty()))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void usersAreRenewedIfTheCoordinatorNamesThem() {
        ReloadingTls tls = ReloadingTls.read(TlsFiles.PLAIN, SystemClock.INSTANCE);
        ProcessCertificates leader =
                new ProcessCertificates(tls, Optional.of(signer), BEFORE, "app"::equals, () -> true);
        X509Certificate app = first(authority.issueUser("app", now, SHORT, directory.resolve("app")));
        assertThat(leader.checkRenewable(Optional.of(app))).isEqualTo(app);
        assertThat(renew(leader, app)).contains("BEGIN CERTIFICATE");
        assertThat(code(() -> renew(leader, app))).as("at once").isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        X509Certificate ann = first(authority.issueUser("ann", now, SHORT, directory.resolve("ann")));
        assertThat(code(() -> renew(leader, ann))).isEqualTo(ErrorCode.UNAUTHORIZED);
        Instant early = now.minus(SHORT).minusSeconds(1);
        X509Certificate ended = first(authority.issueUser("app", early, SHORT, directory.resolve("ended")));
        assertThat(code(() -> renew(leader, ended))).isEqualTo(ErrorCode.UNAUTHORIZED);
        X509Certificate zookeeper =
                first(authority.issueZooKeeper("app", List.of("localhost"), now, SHORT, directory.resolve("zk")));
        assertThat(code(() -> renew(leader, zookeeper))).isEqualTo(ErrorCode.UNAUTHORIZED);
    }

    @Test
    void anEndedCertificateIsAMissingCondition() {
        Instant early = now.minus(SHORT).minusSeconds(1);
        CertificateFiles ended = authority.issueServer("s1", List.of(), early, SHORT, directory.resolve("ended"));
        CertificateFiles valid = authority.issueServer("s1", List.of(), now, SHORT, directory.resolve("valid"));
        assertThat(ReloadingTls.read(files(ended.certificate(), ended.key(), ended), SystemClock.INSTANCE)
                        .missingConditions())
                .singleElement()
                .asString()
                .contains("its certificate ended at", "uniserve security issue");
        assertThat(ReloadingTls.read(files(valid.certificate(), valid.key(), valid), SystemClock.INSTANCE)
                        .missingConditions())
                .isEmpty();
    }

    @Test
    void renewersOfTheSameFilesRenewOnce() throws Exception {
        CertificateFiles files = authority.issueServer("s1", List.of(), now, SHORT, directory.resolve("s1"));
        Path links = Files.createDirectory(directory.resolve("links"));
        Path certificate = Files.createSymbolicLink(links.resolve("tls.crt"), files.certificate());
        Path key = Files.createSymbolicLink(links.resolve("tls.key"), files.key());
        AtomicInteger signed = new AtomicInteger();
        CertificateRenewer.LeafSource source = (current, next) -> {
            signed.incrementAndGet();
            return signer.sign(current, next);
        };
        try (ReloadingTls one =
                        ReloadingTls.open(files(files.certificate(), files.key(), files), SystemClock.INSTANCE);
                ReloadingTls two = ReloadingTls.open(files(certificate, key, files), SystemClock.INSTANCE);
                CertificateRenewer first = CertificateRenewer.start(one, SystemClock.INSTANCE, BEFORE, source);
                CertificateRenewer second = CertificateRenewer.start(two, SystemClock.INSTANCE, BEFORE, source)) {
            await().until(() ->
                    one.daysLeft().equals(Optional.of(89L)) && two.daysLeft().equals(Optional.of(89L)));
            assertThat(signed).hasValue(1);
            assertThat(first.failures() + second.failures()).isZero();
            assertThat(key).isSymbolicLink();
        }
    }

    private static TlsFiles files(Path certificate, Path key, CertificateFiles of) {
        return new TlsFiles(true, Optional.of(certificate), Optional.of(key), Optional.of(of.trust()), false);
    }

    private static X509Certificate first(CertificateFiles files) {
        return PemCertificates.read("certificate", files.certificate()).get(0);
    }

    @Test
    void aCertificateThatOthersWouldNotAcceptIsNotWritten() throws Exception {
        CertificateFiles files = authority.issueServer("s1", List.of(), now, SHORT, directory.resolve("s1"));
        TlsFiles own = new TlsFiles(
                true, Optional.of(files.certificate()), Optional.of(files.key()), Optional.of(files.trust()), false);
        String before = Files.readString(files.certificate()) + Files.readString(files.key());
        CertificateAuthority unknown = CertificateAuthority.create(directory.resolve("unknown"), "main", now);
        CountDownLatch attempts = new CountDownLatch(2);
        try (ReloadingTls tls = ReloadingTls.open(own, SystemClock.INSTANCE)) {
            try (CertificateRenewer renewer =
                    CertificateRenewer.start(tls, SystemClock.INSTANCE, BEFORE, (current, key) -> {
                        attempts.countDown();
                        return unknown.renew(current, key, now, Duration.ofDays(90));
                    })) {
                attempts.await();
                assertThat(renewer.failures()).isPositive();
            }
            assertThat(Files.readString(files.certificate()) + Files.readString(files.key()))
                    .isEqualTo(before);
            CountDownLatch renewed = new CountDownLatch(1);
            tls.onChange(renewed::countDown);
            try (CertificateRenewer renewer =
                    CertificateRenewer.start(tls, SystemClock.INSTANCE, BEFORE, signer::sign)) {
                renewed.await();
                assertThat(renewer.failures()).isZero();
            }
            assertThat(tls.daysLeft()).hasValue(89L);
            assertThat(tls.reload()).as("the files have what is in use").isFalse();
        }
    }
}
