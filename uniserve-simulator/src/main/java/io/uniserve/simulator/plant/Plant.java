package io.uniserve.simulator.plant;

import io.uniserve.simulator.workload.Workload;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Planted bugs. A simulation contains one on purpose, to test the checker. */
public enum Plant {
    /** No bug. */
    NONE,
    /** The disk reports a sync as complete, but has not synced. */
    SKIPPED_FSYNC(Workload.EVENTUAL, "I4", "I6", "I12", "LIVE"),
    /** A client's retry has a new request id. */
    NO_DEDUPLICATION(Workload.EVENTUAL, "I9"),
    /** The coordinator gets a certificate for every learner at once, before it has the whole log. */
    LEARNER_EARLY(Workload.EVENTUAL, "I4", "I11", "I12"),
    /** The registry applies a coordinator's writes of the map without a check of term and version. */
    SHRINK_WITHOUT_CAS(Workload.EVENTUAL, "I8", "I13"),
    /** The clock of readers stands still, so no lease ends. */
    NO_FENCE(Workload.EVENTUAL, "FENCE"),
    /** A server reports every replica as intact, whatever its disk contains. */
    UNCHECKED_INTACT_REPORT(Workload.EVENTUAL, "I4", "I12", "LIVE"),
    /** All states of an actor have the same number, so later rounds of a query accept any state as that of the first round. */
    STATES_NOT_TOLD_APART(Workload.EVENTUAL, "ROUNDS"),
    /** A reader gets the last published state, without the updates applied since. */
    UNPUBLISHED_READS(Workload.EVENTUAL, "I4"),
    /** With a segment of the log that is not needed, the next one is deleted too. */
    GREEDY_DROP(Workload.EVENTUAL, "I14"),
    /** Durable storage reports an object as stored some seconds before it is. */
    STORED_LATER(Workload.EVENTUAL, "I12", "I14", "LIVE"),
    /** Deletions in durable storage leave no mark, so a definition that is stored later counts. */
    DELETION_UNMARKED(Workload.EVENTUAL, "LIVE"),
    /** Objects with the runs of several actors' logs are deleted, though nothing replaces them. */
    BATCH_NOT_REPLACED(Workload.EVENTUAL, "I12", "I14", "LIVE"),
    /** Servers keep chunks of plans by query but not by attempt, and add the chunks of a later attempt. */
    ATTEMPTS_ADDED_UP(Workload.EVENTUAL, "ONCE"),
    /** An engine skips an update now and then, and reports it as applied. */
    UPDATES_UNEVEN(Workload.EVENTUAL, "I10"),
    /** Servers do not compare hashes of logs, so they accept garbled or forged entries. */
    HASHES_UNCOMPARED(Workload.EVENTUAL, "I4", "I10", "I12"),
    /** Servers report the first chunk generation of a map, so readers do not find out that theirs lacks chunks. */
    CHUNKS_UNCOMPARED(Workload.TIME, "I20"),
    /** The provider launches a server for each call, whatever its token. */
    LAUNCH_WITHOUT_TOKEN(Workload.EVENTUAL, "SCALE", "LIVE"),
    /** The provider terminates the machine that has the address of the named one now. */
    TERMINATE_BY_ADDRESS(Workload.EVENTUAL, "SCALE", "LIVE"),
    /** The auto-scaler keeps its record in memory. */
    SCALING_IN_MEMORY(Workload.EVENTUAL, "SCALE", "LIVE"),
    /** A deposed leader's write of the auto-scaler's record is applied later without a check of term and version. */
    SCALING_WITHOUT_TERM(Workload.EVENTUAL, "SCALE", "LIVE"),
    /** The provider terminates a server as soon as it is drained. */
    TERMINATE_UNCERTIFIED(Workload.EVENTUAL, "SCALE"),
    /** Readers of an atomic table ignore versions in doubt. */
    DOUBTS_IGNORED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** Servers do not report the version of an answer, so readers never send the second round. */
    ONE_ROUND(Workload.ATOMIC, "I3", "SUM"),
    /** A plan's scatters read the current state of each actor, and report it as the requested version. */
    UNVERSIONED_SHUFFLE(Workload.ATOMIC, "I3"),
    /** The clock of readers of an atomic table stands still, so no lease ends. */
    LEASE_IGNORED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** Servers commit without the check that the map is still that of the votes. */
    COMMIT_UNFENCED(Workload.ATOMIC, "FENCE"),
    /** Votes count before the rows are prepared. */
    COMMIT_UNPREPARED(Workload.ATOMIC, "I3", "I12", "SUM"),
    /** A primary aborts a prepared version if it finds no decision on it. */
    ABORT_ON_MISSING_RECORD(Workload.ATOMIC, "I3", "I12", "SUM"),
    /** Each server assigns versions from a counter of its own. */
    OWN_VERSION_COUNTERS(Workload.ATOMIC, "I9"),
    /** A transaction manager uses a version that another one has started ahead, for updates of its own. */
    AHEAD_TAKEN(Workload.ATOMIC, "I3", "I12"),
    /** A transaction manager that aborts a version started ahead waits for one actor's acknowledgement only. */
    DISPLACED_UNTOLD(Workload.ATOMIC, "I1"),
    /** A primary votes and acknowledges at once, though a removed replica may still answer reads. */
    FENCE_SKIPPED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /**
     * Readers accept answers with an open version, also from one server alone, whether or not the manager claims that it is not visible.
     */
    OPEN_TAKEN(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** A server ends no update in flight except those that it has started itself since its own start. */
    FLIGHTS_LEFT(Workload.ATOMIC, "I15"),
    /** A reader in doubt trusts its copy of the transaction log without a confirmation. */
    CONFIRM_SKIPPED(Workload.ATOMIC, "I3", "I4", "SUM"),
    /** A server takes snapshots from its follower of the registry, without a write through the quorum. */
    CUT_UNCONFIRMED(Workload.ATOMIC, "I4", "I5"),
    /** A server returns the result of one reading of the tables as a snapshot, though they may have changed meanwhile. */
    CUT_ONE_LOOK(Workload.ATOMIC, "CUT"),
    /** A snapshot of two tables is combined from one of each. */
    CUT_APART(Workload.ATOMIC, "CUT"),
    /** Each actor of a table that is restored goes back to its own newest version. */
    RESTORED_APART(Workload.ATOMIC, "I3", "SUM"),
    /** Every other outcome that leaves a table's log is missing in its outcomes node. */
    OUTCOMES_LOST(Workload.ATOMIC, "I9"),
    /** A transaction manager treats the outcomes node as empty, and overwrites it. */
    OUTCOMES_UNREAD(Workload.ATOMIC, "I9"),
    /** The transaction log and the outcomes node are written one after the other, not in one multi. */
    OUTCOMES_APART(Workload.ATOMIC, "I9"),
    /** The coordinator makes chunks of an atomic table without a check of the transaction log, sometimes late. */
    CREATION_UNCHECKED(Workload.ATOMIC_TIME, "I1"),
    /** Primaries of new chunks accept versions that are older than their chunk. */
    FIRST_VERSION_IGNORED(Workload.ATOMIC_TIME, "I1", "I15"),
    /** Primaries of new chunks vote before all gates have the chunk's generation, so readers may have the one before. */
    VOTES_UNFENCED(Workload.ATOMIC_TIME, "I20"),
    /** A snapshot's epochs belong to the actors of the client's map, by place. */
    SNAPSHOT_BY_PLACE(Workload.ATOMIC_TIME, "I3", "I4", "I20"),
    /** Decisions wait for actors whose chunk is expired. */
    EXPIRED_AWAITED(Workload.ATOMIC_TIME, "LIVE");

    private final Workload workload;
    private final Set<String> codes;

    Plant() {
        this(Workload.EVENTUAL);
    }

    Plant(Workload workload, String... codes) {
        this.workload = workload;
        this.codes = Collections.unmodifiableSet(new TreeSet<>(List.of(codes)));
    }

    /** The workload that can show the bug. */
    public Workload workload() {
        return workload;
    }

    /** True for a bug of the auto-scaler. */
    public boolean isOfScaling() {
        return switch (this) {
            case LAUNCH_WITHOUT_TOKEN,
                    TERMINATE_BY_ADDRESS,
                    SCALING_IN_MEMORY,
                    SCALING_WITHOUT_TERM,
                    TERMINATE_UNCERTIFIED -> true;
            default -> false;
        };
    }

    /** True for a bug that shows only in tables that are restored to a version when they have lost an actor. */
    public boolean losesActors() {
        return this == RESTORED_APART;
    }

    /** True for a bug that shows only in reads of two tables: it must appear as a snapshot that never existed. */
    public boolean violatesSnapshots() {
        return this == CUT_APART || this == CUT_ONE_LOOK;
    }

    /**
     * Codes of the invariants that the bug breaks. If only other codes report it, the checker has found it for a wrong reason.
     *
     * <p>For most bugs of atomic updates the codes are results of clients (I3 to I5, I9, I12, SUM), without checks of internal state. The
     * exceptions:
     * <ul>
     * <li>{@link #FLIGHTS_LEFT}: clients see no wrong result, but wait.
     * <li>{@link #COMMIT_UNFENCED}: a vote is an acknowledgement by all in-sync replicas. Every later primary and reader has the update in
     * its log, so the check of the map only repeats the votes.
     * <li>{@link #DISPLACED_UNTOLD}: the missing acknowledgement matters only if an actor that has prepared the version is down until the
     * log has forgotten it.
     * <li>{@code OUTCOMES_*}: clients see a lost outcome only in a retry after many other updates, which simulated clients almost never
     * send.
     * <li>{@link #CREATION_UNCHECKED}, {@link #FIRST_VERSION_IGNORED}, {@link #EXPIRED_AWAITED}: clients wait for a chunk whose primary can
     * no longer find out a decision, but only after rare events. The checks compare the registry and the votes.
     * <li>{@link #violatesSnapshots}: clients see a combined snapshot only if an order and its payment are both written between its two parts.
     * </ul>
     */
    public Set<String> codes() {
        return codes;
    }

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
