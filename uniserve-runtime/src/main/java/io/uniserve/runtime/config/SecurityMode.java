package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/** Rule of {@code security.mode}: empty is open for a process that listens on loopback only, and closed for any other. */
final class SecurityMode {
    private static final String OPEN = "open";
    private static final String CLOSED = "closed";

    private SecurityMode() {}

    /** True if callers need an identity. Fails with INVALID_CONFIGURATION for an unknown mode. */
    static boolean isClosed(ConfigSection root, ListenerKind kind) {
        String mode = mode(root);
        return mode.equals(CLOSED) || mode.isEmpty() && !isLoopback(root, kind);
    }

    /** True if everyone who can connect from another machine may do everything. */
    static boolean isOpenToNetwork(ConfigSection root, ListenerKind kind) {
        return !isClosed(root, kind) && !isLoopback(root, kind);
    }

    /** Settings that make the process closed, as the subject of an error. */
    static String reason(ConfigSection root, ListenerKind kind) {
        return mode(root).isEmpty()
                ? "uniserve." + kind.section() + ".host = " + host(root, kind)
                        + " is not loopback, so uniserve.security.mode is closed: it"
                : "uniserve.security.mode = closed";
    }

    /** Further remedy of a process that is closed by default; empty if the mode is written down. */
    static String otherRemedy(ConfigSection root, ListenerKind kind) {
        return mode(root).isEmpty()
                ? "; or listen on this machine only with uniserve." + kind.section()
                        + ".host = 127.0.0.1; or set uniserve.security.mode = open, then everyone who can connect may do"
                        + " everything"
                : "";
    }

    private static String mode(ConfigSection root) {
        String mode = root.section("security").text("mode").strip();
        if (!mode.isEmpty() && !mode.equals(OPEN) && !mode.equals(CLOSED)) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.security.mode is \"" + mode + "\": use open or closed, or leave it empty");
        }
        return mode;
    }

    private static boolean isLoopback(ConfigSection root, ListenerKind kind) {
        return LoopbackHost.matches(host(root, kind));
    }

    private static String host(ConfigSection root, ListenerKind kind) {
        return root.section(kind.section()).textNotEmpty("host");
    }
}
