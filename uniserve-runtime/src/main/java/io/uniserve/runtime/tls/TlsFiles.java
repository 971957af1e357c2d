package io.uniserve.runtime.tls;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a process finds its key and whom it trusts; all files in PEM.
 *
 * @param enabled false for plain text
 * @param certificate the process's certificate chain; a server needs one, a client only where servers ask for it
 * @param key the private key, PKCS#8
 * @param trust certificates of authorities; empty for the JDK's own
 * @param requireClientCertificate a server refuses clients without a certificate that {@code trust} vouches for
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
