package io.uniserve.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Levels of the log, which goes to the error stream; {@code logback.xml} has the rest. */
public final class Logging {
    private Logging() {}

    /** What a daemon's operator wants to read: its own doings at INFO. */
    public static void daemon() {
        ((Logger) LoggerFactory.getLogger("io.uniserve")).setLevel(Level.INFO);
    }

    /** For commands in which warnings belong to what is being tried, e.g. under simulated faults. */
    public static void quiet() {
        ((Logger) LoggerFactory.getLogger("io.uniserve")).setLevel(Level.OFF);
    }

    static void verbose(boolean verbose) {
        if (verbose) {
            ((Logger) LoggerFactory.getLogger("io.uniserve")).setLevel(Level.DEBUG);
        }
    }
}
