package io.uniserve.runtime.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Optional;

/**
 * What a certificate is known by: its identity, if it has one, and its fingerprint. Immutable.
 *
 * @param fingerprint {@code sha256:} and 64 hexadecimal digits, the hash of the whole certificate
 */
public record CertificateSubject(Optional<CertifiedIdentity> identity, String fingerprint) {
    private static final String HASH = "sha256:";

    /** Subject of a certificate. */
    public static CertificateSubject of(X509Certificate certificate) {
        return new CertificateSubject(CertifiedIdentity.of(certificate), fingerprint(certificate));
    }

    /** Subject of an identity that was shown without a certificate; its fingerprint is empty. */
    public static CertificateSubject of(CertifiedIdentity identity) {
        return new CertificateSubject(Optional.of(identity), "");
    }

    /** The identity and the fingerprint, for logs. */
    @Override
    public String toString() {
        return (identity.map(CertifiedIdentity::principal).orElse("no identity") + " " + fingerprint).strip();
    }

    /** Fingerprint of a certificate. */
    public static String fingerprint(X509Certificate certificate) {
        try {
            return HASH
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a parsed certificate has no encoding", e);
        }
    }
}
