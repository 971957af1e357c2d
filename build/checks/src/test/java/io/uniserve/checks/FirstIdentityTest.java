package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.uniserve.runtime.time.SystemClock;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code deploy/docker/first-identity.sh}: which certificate a pod starts with, that of the secret or its own renewed one. */
class FirstIdentityTest {
    private static final Path SCRIPT = ProjectTree.root().resolve("deploy/docker/first-identity.sh");
    private static final String CLUSTER = "main";

    @TempDir
    private Path directory;

    private Path secret;
    private Path own;
    private CertificateAuthority authority;
    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());

    private record Ended(int status, String output) {}

    @BeforeEach
    void make() throws IOException {
        assumeThat(Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "openssl"))))
                .as("no openssl on the PATH")
                .isTrue();
        secret = Files.createDirectories(directory.resolve("secret"));
        own = directory.resolve("data/identity");
        authority = CertificateAuthority.create(directory.resolve("authority"), CLUSTER, now);
        put(authority, "node", 10, 365, secret);
    }

    /** Issues an identity that began some days ago, into the folder of a process. */
    private void put(CertificateAuthority signer, String name, int daysAgo, int days, Path folder) throws IOException {
        Path made = Files.createTempDirectory(directory, "made");
        CertificateFiles files =
                signer.issueServer(name, List.of(), now.minus(Duration.ofDays(daysAgo)), Duration.ofDays(days), made);
        Files.createDirectories(folder);
        Files.move(files.certificate(), folder.resolve("certificate.pem"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(files.key(), folder.resolve("key.pem"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(files.trust(), secret.resolve("trust.pem"), StandardCopyOption.REPLACE_EXISTING);
    }

    private Ended run(Path from) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", "");
        int status = new ProcessBuilder("bash", SCRIPT.toString(), from.toString(), own.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        return new Ended(status, Files.readString(output));
    }

    private void assertTakesTheSecret() throws IOException, InterruptedException {
        Ended ended = run(secret);
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(own.resolve("certificate.pem")).hasSameTextualContentAs(secret.resolve("certificate.pem"));
        assertThat(own.resolve("key.pem")).hasSameTextualContentAs(secret.resolve("key.pem"));
        try (Stream<Path> files = Files.list(own)) {
            assertThat(files).hasSize(2);
        }
    }

    private void assertKeepsItsOwn() throws IOException, InterruptedException {
        String certificate = Files.readString(own.resolve("certificate.pem"));
        String key = Files.readString(own.resolve("key.pem"));
        Ended ended = run(secret);
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(own.resolve("certificate.pem")).hasContent(certificate);
        assertThat(own.resolve("key.pem")).hasContent(key);
    }

    @Test
    void aNewPodTakesTheSecret() throws Exception {
        assertTakesTheSecret();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.resolve("key.pem"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertKeepsItsOwn();
    }

    @Test
    void aRenewedCertificateStays() throws Exception {
        put(authority, "node", 5, 90, own);
        assertKeepsItsOwn();
    }

    @Test
    void aRenewedCertificateStaysAfterTheFirstHasEnded() throws Exception {
        put(authority, "node", 30, 20, secret);
        put(authority, "node", 12, 90, own);
        assertKeepsItsOwn();
    }

    @Test
    void aRenewalThatWasInterruptedStays() throws Exception {
        put(authority, "node", 5, 90, own);
        Files.move(own.resolve("key.pem"), own.resolve("key.pem.next"));
        Files.copy(secret.resolve("key.pem"), own.resolve("key.pem"));
        assertKeepsItsOwn();
        assertThat(own.resolve("key.pem.next")).exists();
    }

    @Test
    void aCertificateThatAProcessCannotUseIsReplaced() throws Exception {
        put(authority, "node", 20, 90, own);
        assertTakesTheSecret(); // the secret's is newer
        put(authority, "node", 5, 2, own);
        assertTakesTheSecret(); // it has ended
        put(authority, "other", 5, 90, own);
        assertTakesTheSecret(); // another identity
        put(authority, "node", 5, 90, own);
        Files.copy(secret.resolve("key.pem"), own.resolve("key.pem"), StandardCopyOption.REPLACE_EXISTING);
        assertTakesTheSecret(); // another key
        Files.writeString(own.resolve("certificate.pem"), "text");
        assertTakesTheSecret();
    }

    @Test
    void aCertificateOfAnAuthorityThatIsTakenOutIsReplaced() throws Exception {
        put(authority, "node", 5, 90, own);
        CertificateAuthority next = CertificateAuthority.create(directory.resolve("next"), CLUSTER, now);
        put(next, "node", 7, 90, secret);
        Path trust = secret.resolve("trust.pem");
        String both = Files.readString(directory.resolve("authority/authority.pem"))
                + Files.readString(directory.resolve("next/authority.pem"));
        String one = Files.readString(trust);
        Files.writeString(trust, both);
        assertKeepsItsOwn();
        Files.writeString(trust, one);
        assertTakesTheSecret();
    }

    @Test
    void aWrongSecretChangesNothing() throws Exception {
        put(authority, "node", 5, 90, own);
        Files.delete(secret.resolve("key.pem"));
        Ended ended = run(secret);
        assertThat(ended.status()).isNotZero();
        assertThat(ended.output()).contains(secret.resolve("key.pem") + " is missing or no PEM file");
        Files.delete(own.resolve("key.pem"));
        Files.delete(own.resolve("certificate.pem"));
        assertThat(run(directory.resolve("absent")).status()).isNotZero();
        assertThat(own).isEmptyDirectory();
    }
}
