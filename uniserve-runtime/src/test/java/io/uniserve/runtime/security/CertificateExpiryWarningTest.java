package io.uniserve.runtime.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Warnings before the end of a certificate, by the clock that the test sets. */
class CertificateExpiryWarningTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();

    @TempDir
    Path directory;

    private final CertificateExpiryWarning warning = new CertificateExpiryWarning();
    private TlsFiles files;
    private X509Certificate leaf;
    private long end;
    private long last;

    @BeforeEach
    void make() throws IOException, InterruptedException, GeneralSecurityException {
        leaf = certificate("ann");
        files = Certificates.files(directory, "ann", "ann", false);
        end = leaf.getNotAfter().getTime();
        last = Math.min(
                Duration.ofDays(7).toMillis(), (end - leaf.getNotBefore().getTime()) / 10);
    }

    private X509Certificate certificate(String name)
            throws IOException, InterruptedException, GeneralSecurityException {
        Certificates.make(directory, name, "uri:uniserve://main/user/" + name);
        return PemCertificates.read("certificate", directory.resolve(name + ".pem"))
                .get(0);
    }

    @Test
    void thereIsNoneBeforeTheLastTenth() {
        assertThat(warning.due(leaf, files, leaf.getNotBefore().getTime())).isEmpty();
        assertThat(warning.due(leaf, files, end - last)).isEmpty();
        assertThat(warning.due(leaf, files, end - last + 1)).isPresent();
    }

    @Test
    void itNamesIdentityTimeAndFile() {
        assertThat(warning.due(leaf, files, end - 1))
                .get()
                .asString()
                .startsWith("the certificate of uniserve://main/user/ann ends at "
                        + leaf.getNotAfter().toInstant() + ": replace " + directory.resolve("ann.pem"));
        assertThat(warning.due(leaf, files, end + 25 * HOUR)).get().asString().contains(" has ended at ");
    }

    @Test
    void itComesOncePerDayAndAtOnceForAnotherCertificate() throws Exception {
        assertThat(warning.due(leaf, files, end - 1)).isPresent();
        assertThat(warning.due(leaf, files, end + 23 * HOUR)).isEmpty();
        X509Certificate other = certificate("bob");
        assertThat(warning.due(other, files, other.getNotAfter().getTime())).isPresent();
        assertThat(warning.due(other, files, other.getNotAfter().getTime() + HOUR))
                .isEmpty();
        assertThat(warning.due(other, files, other.getNotAfter().getTime() + 24 * HOUR))
                .isPresent();
    }
}
