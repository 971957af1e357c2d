package io.uniserve.simulator.workload;

import java.util.Locale;

/** Workload of the clients, with its kind of table. */
public enum Workload {
    /** Independent updates of several actors and reads of them, on an eventual table. */
    EVENTUAL,
    /** Atomic updates of several actors, and reads of some or all of them at one version, on a fully serializable table. */
    ATOMIC,
    /** As EVENTUAL, beside a table that is partitioned by time, whose chunks are made and expire while wall clocks run fast. */
    TIME,
    /**
     * As ATOMIC, beside two atomic tables that are partitioned by time. Their updates have rows of several chunks, and reads are of one
     * version of one or both tables, while chunks are made and expire.
     */
    ATOMIC_TIME;

    /** True if the clients' table is atomic. */
    public boolean isAtomic() {
        return this == ATOMIC || this == ATOMIC_TIME;
    }

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
