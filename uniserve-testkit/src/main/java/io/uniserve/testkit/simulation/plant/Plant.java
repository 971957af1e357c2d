package io.uniserve.testkit.simulation.plant;

import io.uniserve.testkit.simulation.workload.Workload;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** A bug that a simulation carries on purpose, to test the checker. */
public enum Plant {
    /** None. */
    NONE,
    /** The disk says that it has synced, and has not. */
    SKIPPED_FSYNC(Workload.EVENTUAL, "I4", "I6", "I12", "LIVE"),
    /** A client's retry carries a new request id. */
    NO_DEDUPLICATION(Workload.EVENTUAL, "I9"),
    /** The coordinator is told that a learner holds the whole log as soon as it is one. */
    LEARNER_EARLY(Workload.EVENTUAL, "I4", "I11", "I12"),
    /** The registry applies a coordinator's writes of the map without looking at term and version. */
    SHRINK_WITHOUT_CAS(Workload.EVENTUAL, "I8", "I13"),
    /** Readers look at a clock that stands still, so that no lease ever runs out. */
    NO_FENCE(Workload.EVENTUAL, "FENCE"),
    /** A server vouches for every replica that it is asked for, whatever its disk holds. */
    BLIND_VOUCHERS(Workload.EVENTUAL, "I4", "I12", "LIVE"),
    /** All states of an actor have one number, so that a query's later rounds take any for the one that the first one saw. */
    STATES_NOT_TOLD_APART(Workload.EVENTUAL, "ROUNDS"),
    /** A reader sees what was published before, and does not wait for what was applied since. */
    UNPUBLISHED_READS(Workload.EVENTUAL, "I4"),
    /** With a segment of the log that nobody needs goes the one behind it. */
    GREEDY_DROP(Workload.EVENTUAL, "I14"),
    /** Durable storage says that it has an object some seconds before it has. */
    STORED_LATER(Workload.EVENTUAL, "I12", "I14", "LIVE"),
    /** Servers keep chunks of plans with scatters by query and not by attempt: what a later attempt puts is added to them. */
    ATTEMPTS_ADDED_UP(Workload.EVENTUAL, "ONCE"),
    /** An engine leaves an update out now and then, and says that it has applied it. */
    UPDATES_UNEVEN(Workload.EVENTUAL, "I10"),
    /** Servers compare no hashes of logs: entries that were garbled on the way, or forged, are taken. */
    HASHES_UNCOMPARED(Workload.EVENTUAL, "I4", "I10", "I12"),
    /** Readers of an atomic table do not see that a version is in doubt. */
    DOUBTS_IGNORED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** Servers do not tell which version an answer is of, so that nobody is asked again. */
    ONE_ROUND(Workload.ATOMIC, "I3", "SUM"),
    /** A plan's scatters read each actor as of now, and are taken for the version that was asked for. */
    UNVERSIONED_SHUFFLE(Workload.ATOMIC, "I3"),
    /** Readers of an atomic table look at a clock that stands still, so that no lease ever runs out. */
    LEASE_IGNORED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** Servers commit without looking whether the map is still that of the votes. */
    COMMIT_UNFENCED(Workload.ATOMIC, "FENCE"),
    /** Votes count before the rows are prepared. */
    COMMIT_UNPREPARED(Workload.ATOMIC, "I3", "I12", "SUM"),
    /** A primary aborts what it has prepared when it finds no decision on it. */
    ABORT_ON_MISSING_RECORD(Workload.ATOMIC, "I3", "I12", "SUM"),
    /** Each server numbers the versions that it drives by a counter of its own. */
    OWN_VERSION_COUNTERS(Workload.ATOMIC, "I9"),
    /** A driver takes the version that another has begun ahead to be free, and begins it for updates of its own. */
    AHEAD_TAKEN(Workload.ATOMIC, "I3", "I12"),
    /** A driver that aborts what another has begun ahead awaits one actor's acknowledgement only. */
    DISPLACED_UNTOLD(Workload.ATOMIC, "I1"),
    /** A primary votes and acknowledges at once, though a replica that was removed may still answer readers. */
    FENCE_SKIPPED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** Readers take answers that leave a version open, of one server alone too, whether or not its driver denies it. */
    OPEN_TAKEN(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** A start of a server ends no update in flight that it has not begun itself. */
    FLIGHTS_LEFT(Workload.ATOMIC, "I15"),
    /** A reader in doubt believes its copy of the table's log, without having it confirmed. */
    CONFIRM_SKIPPED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** A server tells moments from what its follower of the registry knows, with no write before. */
    CUT_UNCONFIRMED(Workload.ATOMIC, "I4", "I5"),
    /** A server takes what one look at the tables found for a moment, whatever changed meanwhile. */
    CUT_ONE_LOOK(Workload.ATOMIC, "CUT"),
    /** A moment of two tables is put together from one of each. */
    CUT_APART(Workload.ATOMIC, "CUT"),
    /** Each actor of a table that goes back together goes back to its own newest version. */
    RESTORED_APART(Workload.ATOMIC, "I3", "SUM"),
    /** Every other outcome that leaves a table's log is not among its older outcomes. */
    OUTCOMES_LOST(Workload.ATOMIC, "I9"),
    /** A driver takes a table to have no older outcomes, and writes what it then knows. */
    OUTCOMES_UNREAD(Workload.ATOMIC, "I9"),
    /** A table's log and its older outcomes are written one after the other, not in one multi. */
    OUTCOMES_APART(Workload.ATOMIC, "I9");

    private final Workload workload;
    private final Set<String> codes;

    Plant() {
        this(Workload.EVENTUAL);
    }

    Plant(Workload workload, String... codes) {
        this.workload = workload;
        this.codes = Collections.unmodifiableSet(new TreeSet<>(List.of(codes)));
    }

    /** The workload with which it is looked for. */
    public Workload workload() {
        return workload;
    }

    /** True for one that shows only in tables that go back together when they have lost an actor. */
    public boolean losesActors() {
        return this == RESTORED_APART;
    }

    /** True for one that shows only where two tables are read as of one moment: it must show in a moment that never was. */
    public boolean tearsMoments() {
        return this == CUT_APART || this == CUT_ONE_LOOK;
    }

    /**
     * The invariants that it breaks: one that shows by others only is found for a wrong reason. Those of atomic updates are of what
     * clients are told (I3 to I5, I9, I12, SUM), without a look inside, but for these: {@link #FLIGHTS_LEFT}, as clients hear nothing wrong
     * but wait; {@link #COMMIT_UNFENCED}, since a vote is an
     * acknowledgement by all in-sync replicas, and whoever leads or answers later has the update in its log, so that the check of
     * the map only repeats what the votes say; {@link #DISPLACED_UNTOLD}, as an abort that nobody awaits shows only where an actor
     * that has prepared it is away until the log has forgotten it; lost outcomes, which show to clients only in a retry that comes
     * after many other updates, as simulated clients hardly ever make one; and a moment put together from two, which shows to
     * clients only where an order and its payment are both written between these two.
     */
    public Set<String> codes() {
        return codes;
    }

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
