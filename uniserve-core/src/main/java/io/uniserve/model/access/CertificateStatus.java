package io.uniserve.model.access;

import java.util.List;

/**
 * The certificate of a process, and the authorities that it trusts. Immutable.
 *
 * @param identity the identity as a URI; empty without TLS, or without an identity
 * @param endMillis end of the certificate in milliseconds since 1970; 0 without one
 * @param authority fingerprint of the authority that has signed it; empty if it is none of the trusted ones
 * @param trusted authorities that the process trusts
 * @param reloads changes of the files since the start that are in use
 * @param failures changes of the files since the start that could not be used
 */
public record CertificateStatus(
        String identity, long endMillis, String authority, List<Authority> trusted, long reloads, long failures) {
    public CertificateStatus {
        trusted = List.copyOf(trusted);
    }

    /**
     * A trusted authority.
     *
     * @param fingerprint {@code sha256:} and 64 hexadecimal digits
     * @param beginMillis begin of its validity in milliseconds since 1970
     */
    public record Authority(String fingerprint, long beginMillis) {}
}
