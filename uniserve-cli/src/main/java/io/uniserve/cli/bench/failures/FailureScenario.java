package io.uniserve.cli.bench.failures;

import java.util.Locale;

/** What can fail, in the order in which it is measured: those of one cluster of key-value servers first. */
enum FailureScenario {
    PRIMARY,
    COORDINATOR,
    STOPPED,
    CLUSTER,
    DISK,
    QUERIES;

    /** The word on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
