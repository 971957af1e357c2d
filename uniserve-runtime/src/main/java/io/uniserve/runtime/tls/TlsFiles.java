package io.uniserve.runtime.tls;

import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS files of a process, all in PEM.
 *
 * @param enabled false for plain text
 * @param certificate the process's certificate chain; required for a server, and for a client only if servers request one
 * @param key the private key, PKCS#8
 * @param trust certificates of authorities; empty for the JDK's own
 * @param requireClientCertificate true if a server rejects clients without a certificate that an authority of {@code trust} has
 *     signed
 */
public record TlsFiles(
        boolean enabled,
        Optional<Path> certificate,
        Optional<Path> key,
        Optional<Path> trust,
        boolean requireClientCertificate) {
    /** Plain text. */
    public static final TlsFiles PLAIN =
            new TlsFiles(false, Optional.empty(), Optional.empty(), Optional.empty(), false);
}
