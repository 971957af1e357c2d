package io.uniserve.security;

import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.transport.certificate.CertificateSigner;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/**
 * Signer with the authority in a folder. It reads the folder at each signature, so another authority is used as soon as it is there.
 * Thread-safe.
 */
public final class AuthorityFolderSigner implements CertificateSigner {
    private final Path folder;
    private final Duration validity;
    private final Clock clock;

    /**
     * Opens the folder once, to find out whether it has an authority.
     *
     * @param validity time for which a certificate is valid
     * @throws io.uniserve.error.UniserveException IO if it has none, or a damaged one
     */
    public AuthorityFolderSigner(Path folder, Duration validity, Clock clock) {
        this.folder = folder;
        this.validity = validity;
        this.clock = clock;
        CertificateAuthority.open(folder).cluster();
    }

    @Override
    public String sign(X509Certificate current, PublicKey key) {
        return CertificateAuthority.open(folder)
                .renew(current, key, Instant.ofEpochMilli(clock.wallMillis()), validity);
    }
}
