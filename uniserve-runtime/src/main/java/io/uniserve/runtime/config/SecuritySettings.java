package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.runtime.tls.TlsFiles;
import java.util.List;
import java.util.Set;

/**
 * Settings of the section {@code security}.
 *
 * @param closed true if callers need an identity of this cluster: a certificate, or a user and password
 * @param admins users that have the role admin without a rule
 */
public record SecuritySettings(boolean closed, Set<String> admins) {
    public SecuritySettings {
        admins = Set.copyOf(admins);
    }

    static SecuritySettings of(ConfigSection root, TlsFiles tls, ListenerKind kind) {
        boolean closed = SecurityMode.isClosed(root, kind);
        if (closed
                && !(tls.enabled()
                        && tls.certificate().isPresent()
                        && tls.key().isPresent()
                        && tls.trust().isPresent())) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    SecurityMode.reason(root, kind)
                            + " needs uniserve.tls.enabled = true, certificate-file, key-file and trust-file: make them by"
                            + " uniserve security init DIR and uniserve security issue server NAME"
                            + SecurityMode.otherRemedy(root, kind));
        }
        List<String> admins = root.section("security").texts("admins");
        admins.forEach(RoleGrant::checkUser);
        return new SecuritySettings(closed, Set.copyOf(admins));
    }
}
