package io.uniserve.simulator.workload;

import java.util.Locale;

/** Workload of the clients, with its kind of table. */
public enum Workload {
    /** Independent updates of several actors and reads of them, on an eventual table. */
    EVENTUAL,
    /** Atomic updates of several actors, and reads of some or all of them at one version, on a fully serializable table. */
    ATOMIC,
    /** As EVENTUAL, beside a table that is partitioned by time, whose chunks are made and expire while wall clocks run fast. */
    TIME;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
