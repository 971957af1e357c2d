package io.uniserve.runtime.transport.http;

import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * Caller of the HTTP listener. Immutable.
 *
 * @param address its network address
 * @param encrypted true if its connection has TLS
 * @param chain the certificate that it showed, leaf first; empty without one
 */
public record HttpCaller(String address, boolean encrypted, List<X509Certificate> chain) {
    public HttpCaller {
        chain = List.copyOf(chain);
    }

    /** What its certificate is known by. */
    Optional<CertificateSubject> subject() {
        return chain.stream().findFirst().map(CertificateSubject::of);
    }

    /** The identity in its certificate. */
    Optional<CertifiedIdentity> identity() {
        return subject().flatMap(CertificateSubject::identity);
    }

    /** Its name for the audit log and for errors; empty without a certificate. */
    String principal() {
        return identity()
                .map(CertifiedIdentity::principal)
                .or(() -> chain.stream()
                        .findFirst()
                        .map(leaf -> leaf.getSubjectX500Principal().getName()))
                .orElse("");
    }
}
