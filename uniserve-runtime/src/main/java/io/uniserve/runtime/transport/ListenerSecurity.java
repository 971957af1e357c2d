package io.uniserve.runtime.transport;

import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Check of a process that is about to listen, before it opens a port, a connection or a directory. */
public final class ListenerSecurity {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerSecurity.class);

    private ListenerSecurity() {}

    /**
     * Checks the mode and the files that it needs, and warns if everyone who can connect may do everything.
     *
     * @throws io.uniserve.error.UniserveException INVALID_CONFIGURATION, with the setting and the remedy
     */
    public static void check(Settings settings, ListenerKind kind) {
        checkFiles(settings, kind);
        if (settings.isOpenToNetwork(kind)) {
            LOG.warn(
                    "uniserve.security.mode = open on {}: everyone who can connect may do everything",
                    settings.host(kind));
        }
    }

    /** Checks the mode and the files that it needs. Fails as {@link #check}. */
    public static void checkFiles(Settings settings, ListenerKind kind) {
        TlsCredentials.server(settings.serverTls(kind));
    }
}
