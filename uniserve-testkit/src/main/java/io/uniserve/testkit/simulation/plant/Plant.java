package io.uniserve.testkit.simulation.plant;

import java.util.Locale;

/** A bug that a simulation carries on purpose, to test the checker. */
public enum Plant {
    /** None. */
    NONE,
    /** The disk says that it has synced, and has not. */
    SKIPPED_FSYNC,
    /** A client's retry carries a new request id. */
    NO_DEDUPLICATION,
    /** The coordinator is told that a learner holds the whole log as soon as it is one. */
    LEARNER_EARLY,
    /** The registry applies a coordinator's writes of the map without looking at term and version. */
    SHRINK_WITHOUT_CAS,
    /** Readers look at a clock that stands still, so that no lease ever runs out. */
    NO_FENCE,
    /** A server vouches for every replica that it is asked for, whatever its disk holds. */
    BLIND_VOUCHERS,
    /** All states of an actor have one number, so that a query's later rounds take any for the one that the first one saw. */
    STATES_NOT_TOLD_APART,
    /** A reader sees what was published before, and does not wait for what was applied since. */
    UNPUBLISHED_READS;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
