package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.protocol.env.Completion;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** What a process answers about certificates. Called on transport threads: must not block for long. Thread-safe. */
public interface CertificateHandler {
    /** State of the process's own certificate. */
    CertificateStatus describe();

    /**
     * Fails if {@link #renew} would refuse a caller of this cluster.
     *
     * @param current the caller's certificate; empty for a user with a password
     * @return the certificate
     * @throws UniserveException INVALID_ARGUMENT if there is none, or it is not due; UNAUTHORIZED if this process does not renew this user;
     *     UNSUPPORTED if it has no authority; UNAVAILABLE if it does not lead
     */
    X509Certificate checkRenewable(Optional<X509Certificate> current);

    /**
     * Signs another certificate for the identity of this one, with another key. Completes on a thread that may block: certificates in PEM, the
     * leaf first, or IO if the authority cannot be read.
     *
     * @param current certificate of the caller, which belongs to the cluster
     * @throws UniserveException as {@link #checkRenewable}; RESOURCE_EXHAUSTED if this certificate was renewed shortly before, or too many
     *     are being renewed
     */
    void renew(X509Certificate current, PublicKey key, Completion<String> completion);
}
