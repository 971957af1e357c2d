package io.uniserve.testkit.simulation.plant;

import io.uniserve.testkit.simulation.workload.Workload;
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
    UNPUBLISHED_READS,
    /** With a segment of the log that nobody needs goes the one behind it. */
    GREEDY_DROP,
    /** Durable storage says that it has an object some seconds before it has. */
    STORED_LATER,
    /** Servers keep chunks of plans with scatters by query and not by attempt: what a later attempt puts is added to them. */
    ATTEMPTS_ADDED_UP,
    /** Readers of an atomic table do not see that a version is in doubt. */
    DOUBTS_IGNORED(Workload.ATOMIC),
    /** Servers do not tell which version an answer is of, so that nobody is asked again. */
    ONE_ROUND(Workload.ATOMIC),
    /** Readers of an atomic table look at a clock that stands still, so that no lease ever runs out. */
    LEASE_IGNORED(Workload.ATOMIC),
    /** Servers commit without looking whether the map is still that of the votes. */
    COMMIT_UNFENCED(Workload.ATOMIC),
    /** Votes count before the rows are prepared. */
    COMMIT_UNPREPARED(Workload.ATOMIC),
    /** A primary aborts what it has prepared when it finds no decision on it. */
    ABORT_ON_MISSING_RECORD(Workload.ATOMIC),
    /** Each server numbers the versions that it drives by a counter of its own. */
    OWN_VERSION_COUNTERS(Workload.ATOMIC),
    /** A driver takes the version that another has begun ahead to be free, and begins it for updates of its own. */
    AHEAD_TAKEN(Workload.ATOMIC),
    /** A driver that aborts what another has begun ahead awaits one actor's acknowledgement only. */
    DISPLACED_UNTOLD(Workload.ATOMIC),
    /** A primary votes and acknowledges at once, though a replica that was removed may still answer readers. */
    FENCE_SKIPPED(Workload.ATOMIC),
    /** A reader in doubt believes its copy of the table's log, without having it confirmed. */
    CONFIRM_SKIPPED(Workload.ATOMIC),
    /** A server tells moments from what its follower of the registry knows, with no write before. */
    CUT_UNCONFIRMED(Workload.ATOMIC),
    /** A server takes what one look at the tables found for a moment, whatever changed meanwhile. */
    CUT_ONE_LOOK(Workload.ATOMIC),
    /** A moment of two tables is put together from one of each. */
    CUT_APART(Workload.ATOMIC),
    /** Each actor of a table that goes back together goes back to its own newest version. */
    RESTORED_APART(Workload.ATOMIC),
    /** Every other outcome that leaves a table's log is not among its older outcomes. */
    OUTCOMES_LOST(Workload.ATOMIC),
    /** A driver takes a table to have no older outcomes, and writes what it then knows. */
    OUTCOMES_UNREAD(Workload.ATOMIC),
    /** A table's log and its older outcomes are written one after the other, not in one multi. */
    OUTCOMES_APART(Workload.ATOMIC);

    private final Workload workload;

    Plant() {
        this(Workload.EVENTUAL);
    }

    Plant(Workload workload) {
        this.workload = workload;
    }

    /** The workload with which it is looked for. */
    public Workload workload() {
        return workload;
    }

    /**
     * True for a bug of atomic updates that shows in what clients are told, without a look inside. One that does not is
     * {@link #COMMIT_UNFENCED}: a vote is an acknowledgement by all in-sync replicas, and whoever leads or answers later has
     * the update in its log, so the check of the map only repeats what the votes say. Lost outcomes show to clients only in a
     * retry that comes after many other updates, which simulated clients hardly ever make: the look inside sees the loss. And that
     * nobody awaits an abort shows only where an actor that has prepared it is away until the log has forgotten it. A moment put
     * together from two shows to clients only where an order and its payment are both written between these two.
     */
    public boolean showsToClients() {
        return workload == Workload.ATOMIC
                && this != COMMIT_UNFENCED
                && this != DISPLACED_UNTOLD
                && !tearsMoments()
                && !losesOutcomes();
    }

    private boolean losesOutcomes() {
        return this == OUTCOMES_LOST || this == OUTCOMES_UNREAD || this == OUTCOMES_APART;
    }

    /** True for one that shows only in tables that go back together when they have lost an actor. */
    public boolean losesActors() {
        return this == RESTORED_APART;
    }

    /** True for one that shows only where two tables are read as of one moment: it must show in a moment that never was. */
    public boolean tearsMoments() {
        return this == CUT_APART || this == CUT_ONE_LOOK;
    }

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
