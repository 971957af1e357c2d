package io.uniserve.runtime.transport.server;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.security.CertifiedIdentity;
import java.util.Optional;

/**
 * Identity of a caller.
 *
 * @param address the remote address as text
 * @param principal the subject of its certificate, if it presented one
 * @param certified the identity in its certificate, if there is one
 */
public record CallerIdentity(String address, Optional<String> principal, Optional<CertifiedIdentity> certified) {
    /** Checks a client's name. Fails with INVALID_ARGUMENT if it is too long. */
    static String checkedName(String name) {
        if (name.length() > Limits.CLIENT_NAME_CHARS_MAX) {
            throw UniserveException.invalid(
                    "client's name has " + name.length() + " characters, use at most " + Limits.CLIENT_NAME_CHARS_MAX);
        }
        return name;
    }
}
