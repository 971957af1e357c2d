package io.uniserve.cli.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Log levels. The log goes to the error stream; {@code logback.xml} has all other settings. */
public final class Logging {
    private Logging() {}

    /** Sets the level for daemons: INFO for Uniserve's own classes. */
    public static void daemon() {
        ((Logger) LoggerFactory.getLogger("io.uniserve")).setLevel(Level.INFO);
    }

    /** Turns logging off, for commands that provoke warnings, e.g. by simulated faults. */
    public static void quiet() {
        ((Logger) LoggerFactory.getLogger("io.uniserve")).setLevel(Level.OFF);
    }

    static void verbose(boolean verbose) {
        if (verbose) {
            ((Logger) LoggerFactory.getLogger("io.uniserve")).setLevel(Level.DEBUG);
        }
    }
}
