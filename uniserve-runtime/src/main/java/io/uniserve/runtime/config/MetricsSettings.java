package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;
import java.util.Locale;
import java.util.Optional;

/**
 * Settings of the HTTP listener for Prometheus and health checks; port 0 uses any free port.
 *
 * @param tls true if it has the certificate of the process and requests one of each caller
 * @param access who gets the metrics
 */
public record MetricsSettings(boolean enabled, String host, int port, boolean tls, Access access) {
    /** Callers that get the metrics. */
    public enum Access {
        /** Users with the right MONITOR, and processes of the cluster. */
        MONITOR,
        /** Everyone who reaches the listener. */
        ANYONE
    }

    private static final String SECTION = "uniserve.metrics.prometheus.";

    /** Checks also that callers have identities if they need them. */
    static MetricsSettings of(ConfigSection root, TlsFiles files, ListenerKind kind) {
        boolean closed = SecurityMode.isClosed(root, kind);
        MetricsSettings settings = parse(root, closed);
        if (settings.enabled
                && settings.tls
                && !(files.enabled() && files.certificate().isPresent())) {
            throw refused(SECTION + "tls = true needs uniserve.tls.enabled = true with certificate-file and key-file");
        }
        if (settings.enabled && settings.access == Access.MONITOR) {
            checkMonitor(closed, settings.tls);
        }
        return settings;
    }

    /** @param closed true in mode closed: then metrics beyond loopback are for callers with the right only, unless that is set */
    static MetricsSettings parse(ConfigSection root, boolean closed) {
        ConfigSection prometheus = root.section("metrics").section("prometheus");
        String host = prometheus.textNotEmpty("host");
        boolean guarded = closed && !LoopbackHost.matches(host);
        return new MetricsSettings(
                prometheus.flag("enabled"),
                host,
                prometheus.port("port"),
                tls(prometheus).orElse(guarded),
                access(prometheus).orElse(guarded ? Access.MONITOR : Access.ANYONE));
    }

    /** Without mode closed and TLS, callers have no identity whose rights can be judged. */
    private static void checkMonitor(boolean closed, boolean tls) {
        if (!closed) {
            throw refused(
                    SECTION + "access = monitor needs uniserve.security.mode = closed: in mode open everyone may do"
                            + " everything");
        }
        if (!tls) {
            throw refused(SECTION + "tls = false leaves callers without an identity: set " + SECTION + "tls = true, or "
                    + SECTION + "access = anyone, then everyone who reaches the port can read the metrics");
        }
    }

    private static UniserveException refused(String message) {
        return new UniserveException(ErrorCode.INVALID_CONFIGURATION, message);
    }

    private static Optional<Boolean> tls(ConfigSection prometheus) {
        return prometheus.text("tls").isBlank() ? Optional.empty() : Optional.of(prometheus.flag("tls"));
    }

    private static Optional<Access> access(ConfigSection prometheus) {
        String text = prometheus.text("access").strip();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        for (Access access : Access.values()) {
            if (access.name().toLowerCase(Locale.ROOT).equals(text)) {
                return Optional.of(access);
            }
        }
        throw prometheus.invalidValue("access", "monitor or anyone, or leave it empty", null);
    }

    /** True if everyone who connects from another machine gets the metrics. */
    public boolean isOpenToNetwork() {
        return enabled && access == Access.ANYONE && !LoopbackHost.matches(host);
    }
}
