package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.UniserveException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;

/** Signer of certificates with a cluster's authority. Thread-safe. */
@FunctionalInterface
public interface CertificateSigner {
    /**
     * Signs another certificate with the identity and the host names of this one.
     *
     * @return certificates in PEM, the leaf first
     * @throws UniserveException IO if the authority cannot be read; UNAUTHORIZED if the identity is not of its cluster
     */
    String sign(X509Certificate current, PublicKey key);
}
