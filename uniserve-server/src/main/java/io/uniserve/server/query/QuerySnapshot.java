package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Common snapshot for all rounds of one plan, over its atomic tables. Without a request of the planner, rounds have nothing in
 * common. With one table, the snapshot is the version of the first read. With several tables, it is taken before the first read. Not
 * thread-safe.
 */
final class QuerySnapshot {
    private final ReadMode mode;
    /** Takes a snapshot of these tables. */
    private final Function<List<TableName>, AtomicTablesSnapshot> takeSnapshot;

    private List<TableName> tables = List.of();
    private Optional<AtomicTablesSnapshot> snapshot = Optional.empty();
    /**
     * The actors of the first read, if that read fixed the snapshot; empty for all actors. For other actors its version may not be
     * the newest.
     */
    private Optional<List<Integer>> firstReadActors = Optional.empty();
    /** True if a read found its table before the first version. */
    private boolean readBeforeFirstVersion;
    /**
     * True after an attempt whose first read did not have the newest version of the whole table. The next attempts take a snapshot
     * first.
     */
    private boolean takesSnapshotFirst;

    QuerySnapshot(ReadMode mode, Function<List<TableName>, AtomicTablesSnapshot> settle) {
        this.mode = mode;
        this.takeSnapshot = settle;
    }

    /**
     * Requests one snapshot of these tables.
     *
     * @param wanted atomic tables, at most {@link Limits#CUT_TABLES_MAX}; any number in mode STALE, which uses no snapshot
     */
    void request(List<TableName> wanted) {
        if (mode != ReadMode.STALE && wanted.size() > Limits.CUT_TABLES_MAX) {
            throw UniserveException.unsupported("a query reads " + wanted.size() + " atomic tables, use at most "
                    + Limits.CUT_TABLES_MAX + " in one snapshot");
        }
        tables = mode == ReadMode.STALE ? List.of() : List.copyOf(wanted);
    }

    /** True if the plan reads some table in one snapshot. */
    boolean isRequested() {
        return !tables.isEmpty();
    }

    /** True if the plan reads this table in the snapshot. */
    boolean covers(TableName table) {
        return tables.contains(table);
    }

    /**
     * Snapshot for a read of these actors, empty for all actors of a table. Returns empty if this is the first read of the only
     * table: then the read fixes the version.
     */
    Optional<AtomicTablesSnapshot> forRead(Optional<List<Integer>> actors) {
        boolean first = snapshot.isEmpty() && !readBeforeFirstVersion && !takesSnapshotFirst;
        if (first && tables.size() == 1 && mode == ReadMode.LINEARIZABLE) {
            return Optional.empty();
        }
        boolean covered = snapshot.isPresent()
                && firstReadActors.isPresent()
                && actors.isPresent()
                && firstReadActors.get().containsAll(actors.get());
        return Optional.of(covered ? snapshot.get() : forAllActors());
    }

    /** Snapshot for several parallel reads, or empty. */
    Optional<AtomicTablesSnapshot> forReads() {
        return forRead(Optional.empty());
    }

    /** Snapshot for all actors, taken now if there is none. Fails with VERSION_GONE if earlier rounds have read another version. */
    AtomicTablesSnapshot forAllActors() {
        if (snapshot.isPresent() && firstReadActors.isEmpty()) {
            return snapshot.get();
        }
        AtomicTablesSnapshot found = takeSnapshot.apply(tables);
        if (readBeforeFirstVersion || snapshot.isPresent()) {
            ConsistentSnapshot.Table now = found.table(tables.get(0)).orElseThrow();
            Optional<ConsistentSnapshot.Table> before =
                    snapshot.flatMap(readSnapshot -> readSnapshot.table(tables.get(0)));
            boolean same = before.map(one -> one.version() == now.version() && one.tableId() == now.tableId())
                    .orElse(now.version() == 0);
            if (!same) {
                takesSnapshotFirst = true;
                throw new UniserveException(
                        ErrorCode.VERSION_GONE,
                        "table " + tables.get(0) + " was updated between the query's first round, of some actors, and"
                                + " the next");
            }
        }
        firstReadActors = Optional.empty();
        snapshot = Optional.of(found);
        return found;
    }

    /** Records the version of the first read, which read these actors of the only table; empty for all actors. */
    void recordFirstRead(TableName table, Optional<List<Integer>> actors, SnapshotReadExecution.Result first) {
        if (first.version() > 0) {
            snapshot = Optional.of(AtomicTablesSnapshot.of(table, first.tableId(), first.version()));
            firstReadActors = actors;
        } else {
            readBeforeFirstVersion = true;
        }
    }

    /** Discards the snapshot; the next attempt takes another. */
    void discard() {
        snapshot = Optional.empty();
        firstReadActors = Optional.empty();
        readBeforeFirstVersion = false;
    }

    /**
     * True if another attempt may start.
     *
     * @param restarts attempts so far
     * @param tookNanos duration of the last attempt
     */
    static boolean mayRestart(int restarts, long tookNanos, long remainingNanos) {
        int most = tookNanos > Limits.PLAN_MOMENT_LONG_MS * 1_000_000
                ? Limits.VERSION_RESTARTS_MAX
                : Limits.PLAN_MOMENTS_MAX;
        return restarts < most && remainingNanos > tookNanos + pauseNanos(restarts);
    }

    /** Pause before the next attempt, in nanoseconds; it doubles with each restart. */
    static long pauseNanos(int restarts) {
        long pause = Limits.PLAN_MOMENT_PAUSE_MS << Math.min(restarts, 16);
        return Math.min(pause, Limits.PLAN_MOMENT_PAUSE_MAX_MS) * 1_000_000;
    }

    /** Error for the caller after the last attempt. */
    static UniserveException finalError(UniserveException error, int restarts) {
        return new UniserveException(
                ErrorCode.VERSION_GONE,
                error.reason() + "; " + (restarts + 1)
                        + " moments were tried: the tables are updated faster than the query's"
                        + " rounds are read. Ask for less, or in mode STALE, which sees any state",
                error);
    }
}
