package io.uniserve.runtime.transport.server;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Optional;

/**
 * Identity of a caller.
 *
 * @param address the remote address as text
 * @param principal the subject of its certificate, if it presented one
 */
public record CallerIdentity(String address, Optional<String> principal) {
    /** Checks a client's name. Fails with INVALID_ARGUMENT if it is too long. */
    static String checkedName(String name) {
        if (name.length() > Limits.CLIENT_NAME_CHARS_MAX) {
            throw UniserveException.invalid(
                    "client's name has " + name.length() + " characters, use at most " + Limits.CLIENT_NAME_CHARS_MAX);
        }
        return name;
    }
}
