package io.uniserve.benchmark.failures;

import java.util.Locale;

/** Failure scenarios, in the order of measurement: those of one cluster of key-value servers first. */
enum FailureScenario {
    PRIMARY,
    COORDINATOR,
    STOPPED,
    CLUSTER,
    DISK,
    QUERIES;

    /** Returns the name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
