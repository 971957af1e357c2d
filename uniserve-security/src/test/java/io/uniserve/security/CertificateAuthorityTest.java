package io.uniserve.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateAuthorityTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
    private static final Duration DAYS = Duration.ofDays(90);

    @TempDir
    Path directory;

    private CertificateAuthority authority;

    @BeforeEach
    void create() {
        authority = CertificateAuthority.create(directory.resolve("ca"), "main", NOW);
    }

    private static List<X509Certificate> read(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        }
    }

    @Test
    void aServersCertificateHasItsIdentityAndHosts() throws IOException, GeneralSecurityException {
        CertificateFiles files = CertificateAuthority.open(directory.resolve("ca"))
                .issueServer("s1", List.of("10.0.0.7", "s1.example.org", "::1"), NOW, DAYS, directory.resolve("s1"));
        List<X509Certificate> chain = read(files.certificate());
        X509Certificate leaf = chain.get(0);
        X509Certificate root = read(files.trust()).get(0);
        assertThat(chain).hasSize(2).element(1).isEqualTo(root);
        leaf.verify(root.getPublicKey());
        root.verify(root.getPublicKey());
        assertThat(CertifiedIdentity.of(leaf)).contains(new CertifiedIdentity("main", Kind.SERVER, "s1"));
        assertThat(CertifiedIdentity.of(root)).isEmpty();
        assertThat(leaf.getSubjectAlternativeNames().stream().map(each -> String.valueOf(each.get(1))))
                .containsExactly("uniserve://main/server/s1", "10.0.0.7", "s1.example.org", "0:0:0:0:0:0:0:1");
        assertThat(leaf.getExtendedKeyUsage()).hasSize(2);
        assertThat(leaf.getBasicConstraints()).as("no authority").isEqualTo(-1);
        assertThat(root.getBasicConstraints()).as("of leaves only").isZero();
        leaf.checkValidity(Date.from(NOW.plus(DAYS).minusSeconds(1)));
        assertThatThrownBy(() -> leaf.checkValidity(Date.from(NOW.plus(DAYS).plusSeconds(1))))
                .isInstanceOf(CertificateExpiredException.class);
    }

    @Test
    void onlyItsOwnerEntersTheFolderOfAnAuthority() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("ca"))))
                .isEqualTo("rwx------");
        for (String wrong : List.of("a.b", "", "a/b", "x".repeat(65))) {
            assertThatThrownBy(() -> CertificateAuthority.create(directory.resolve("wrong"), wrong, NOW))
                    .as(wrong)
                    .hasMessageContaining("letters, digits, _ or -");
        }
        assertThat(directory.resolve("wrong")).doesNotExist();
    }

    @Test
    void aUsersCertificateIsNoServers() throws IOException, GeneralSecurityException {
        CertificateFiles files = authority.issueUser("ann", NOW, DAYS, directory);
        X509Certificate leaf = read(files.certificate()).get(0);
        assertThat(CertifiedIdentity.of(leaf)).contains(new CertifiedIdentity("main", Kind.USER, "ann"));
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
    }

    @Test
    void aZooKeeperServersCertificateIsOfItsOwnKind() throws IOException, GeneralSecurityException {
        CertificateFiles files = authority.issueZooKeeper("zk1", List.of("zk1", "zk2"), NOW, DAYS, directory);
        X509Certificate leaf = read(files.certificate()).get(0);
        assertThat(CertifiedIdentity.of(leaf)).contains(new CertifiedIdentity("main", Kind.ZOOKEEPER, "zk1"));
        assertThat(leaf.getSubjectAlternativeNames().stream().map(each -> String.valueOf(each.get(1))))
                .containsExactly("uniserve://main/zookeeper/zk1", "zk1", "zk2");
        assertThat(leaf.getExtendedKeyUsage()).as("its servers call each other").hasSize(2);
        assertThatThrownBy(() -> authority.issueZooKeeper("zk2", List.of(), NOW, DAYS, directory))
                .hasMessageContaining("at least one host");
        assertThat(directory.resolve("zk2.pem")).doesNotExist();
    }

    @Test
    void onlyTheOwnerReadsKeys() throws IOException {
        CertificateFiles files = authority.issueUser("ann", NOW, DAYS, directory);
        for (Path key : List.of(files.key(), directory.resolve("ca").resolve(CertificateAuthority.KEY))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                    .isEqualTo("rw-------");
            assertThat(key).content().startsWith("-----BEGIN PRIVATE KEY-----");
        }
    }

    @Test
    void nothingIsReplaced() throws IOException {
        CertificateFiles files = authority.issueUser("ann", NOW, DAYS, directory);
        byte[] before = Files.readAllBytes(files.key());
        assertThatThrownBy(() -> authority.issueUser("ann", NOW, DAYS, directory))
                .hasMessageContaining("exists");
        assertThatThrownBy(() -> CertificateAuthority.create(directory.resolve("ca"), "other", NOW))
                .hasMessageContaining("exists");
        assertThat(Files.readAllBytes(files.key())).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "../s1", "a/b", "a b", "é", "a?b", "-x", "uniserve://main/server/s1"})
    void badNamesAreRefused(String name) {
        assertThatThrownBy(() -> authority.issueUser(name, NOW, DAYS, directory.resolve("out")))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "*.example.org", "-a", "a\u0000"})
    void badHostsAreRefused(String host) {
        assertThatThrownBy(() -> authority.issueServer("s1", List.of(host), NOW, DAYS, directory.resolve("out")))
                .hasMessageContaining("host");
        assertThat(directory.resolve("out").resolve("s1.key")).doesNotExist();
    }

    @Test
    void anAbsentOrDamagedAuthorityIsNamed() throws IOException {
        assertThatThrownBy(() -> CertificateAuthority.open(directory.resolve("none")))
                .hasMessageContaining("uniserve security init");
        Path key = directory.resolve("ca").resolve(CertificateAuthority.KEY);
        String right = Files.readString(key);
        for (String wrong : List.of(
                "",
                "no key",
                right.substring(0, right.length() / 2),
                right.replace("PRIVATE KEY", "CERTIFICATE"),
                right.replace('M', '?'),
                right.replaceFirst("\n[A-Za-z0-9]{9}", "\n"))) {
            Files.writeString(key, wrong);
            assertThatThrownBy(() -> CertificateAuthority.open(directory.resolve("ca")))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
                    .hasMessageContaining("cannot read the authority");
        }
    }

    @Test
    void aServerNeedsNoHost() throws IOException, GeneralSecurityException {
        CertificateFiles files = authority.issueServer("s1", List.of(), NOW, DAYS, directory);
        X509Certificate leaf = read(files.certificate()).get(0);
        assertThat(CertifiedIdentity.of(leaf)).contains(new CertifiedIdentity("main", Kind.SERVER, "s1"));
        assertThat(leaf.getSubjectAlternativeNames()).hasSize(1);
    }
}
