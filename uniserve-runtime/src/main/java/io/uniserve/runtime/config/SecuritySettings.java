package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;

/**
 * Settings of the section {@code security}.
 *
 * @param closed true if callers need a certificate with an identity of this cluster
 */
public record SecuritySettings(boolean closed) {
    static SecuritySettings of(ConfigSection root, TlsFiles tls) {
        String mode = root.section("security").textNotEmpty("mode");
        if (!mode.equals("open") && !mode.equals("closed")) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, "uniserve.security.mode is \"" + mode + "\": use open or closed");
        }
        boolean closed = mode.equals("closed");
        if (closed
                && !(tls.enabled()
                        && tls.certificate().isPresent()
                        && tls.key().isPresent()
                        && tls.trust().isPresent())) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.security.mode = closed needs uniserve.tls.enabled = true, certificate-file, key-file and"
                            + " trust-file: make them by uniserve security init DIR and uniserve security issue server"
                            + " NAME");
        }
        return new SecuritySettings(closed);
    }
}
