package io.uniserve.testkit.simulation.workload;

import java.util.Locale;

/** What clients do, and on what kind of table. */
public enum Workload {
    /** Updates of several actors apart from each other, and reads of them, on an eventual table. */
    EVENTUAL,
    /** Atomic updates of several actors, and reads of one version of some or all, on a fully serializable table. */
    ATOMIC;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
