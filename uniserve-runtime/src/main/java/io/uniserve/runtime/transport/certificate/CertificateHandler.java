package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import java.security.PublicKey;
import java.security.cert.X509Certificate;

/** What a process answers about certificates. Called on transport threads: must not block for long. Thread-safe. */
public interface CertificateHandler {
    /** State of the process's own certificate. */
    CertificateStatus describe();

    /**
     * Signs another certificate for the identity of this one, with another key.
     *
     * @param current certificate of the caller, which is a server or coordinator of the cluster
     * @return certificates in PEM, the leaf first
     * @throws UniserveException UNSUPPORTED if this process has no authority; IO if the authority cannot be read
     */
    String renew(X509Certificate current, PublicKey key);
}
