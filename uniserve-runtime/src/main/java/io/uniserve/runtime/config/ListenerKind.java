package io.uniserve.runtime.config;

import java.util.Locale;

/** Kind of a process that listens for callers. Its section of the settings has the host that it listens on. */
public enum ListenerKind {
    SERVER,
    COORDINATOR;

    /** Name of the section of the settings, such as {@code server}. */
    String section() {
        return name().toLowerCase(Locale.ROOT);
    }
}
