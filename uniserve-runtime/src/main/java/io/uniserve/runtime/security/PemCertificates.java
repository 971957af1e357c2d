package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** Reader of files with certificates in PEM. */
public final class PemCertificates {
    private PemCertificates() {}

    /**
     * Reads all certificates of a file, at least one, in their order.
     *
     * @param key the setting that names the file, for errors
     * @throws UniserveException INVALID_CONFIGURATION if the file cannot be read, is too large or has no certificate
     */
    public static List<X509Certificate> read(String key, Path file) {
        PemBlocks.requireReadable(key, file);
        try {
            return parse(PemBlocks.readBounded(file));
        } catch (IOException | CertificateException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    key + ": file " + file + " cannot be used: " + e.getMessage() + "; give certificates in PEM",
                    e);
        }
    }

    /** Returns the certificates of a text in PEM, at least one. Fails with a CertificateException without one. */
    public static List<X509Certificate> parse(byte[] text) throws CertificateException {
        List<X509Certificate> found =
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(text)).stream()
                        .map(X509Certificate.class::cast)
                        .toList();
        if (found.isEmpty()) {
            throw new CertificateException("it has no certificate");
        }
        return found;
    }
}
