package io.uniserve.runtime.transport.server;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import java.util.Optional;

/**
 * Identity of a caller.
 *
 * @param address the remote address as text
 * @param principal the subject of its certificate, if it presented one
 * @param certificate identity and fingerprint of its certificate, if it presented one
 */
public record CallerIdentity(String address, Optional<String> principal, Optional<CertificateSubject> certificate) {
    /** The identity in its certificate, if there is one. */
    public Optional<CertifiedIdentity> certified() {
        return certificate.flatMap(CertificateSubject::identity);
    }

    /** Checks a client's name. Fails with INVALID_ARGUMENT if it is too long. */
    static String checkedName(String name) {
        if (name.length() > Limits.CLIENT_NAME_CHARS_MAX) {
            throw UniserveException.invalid(
                    "client's name has " + name.length() + " characters, use at most " + Limits.CLIENT_NAME_CHARS_MAX);
        }
        return name;
    }
}
