package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.tx.ReadSnapshot;
import io.uniserve.protocol.tx.SnapshotRead;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What one plan's rounds are to see of its tables with atomic updates: nothing in common until the planner asks for it; then of one
 * table the version of the first read, of several a moment that is settled before. Not thread-safe.
 */
final class QuerySnapshot {
    private final ReadMode mode;
    /** Settles a moment of these tables. */
    private final Function<List<TableName>, ReadSnapshot> settle;

    private List<TableName> tables = List.of();
    private Optional<ReadSnapshot> settled = Optional.empty();
    /** Of a moment that the first read told: the actors it asked, for no others is its version the newest; empty for all. */
    private Optional<List<Integer>> seen = Optional.empty();
    /** True once a read saw its table before the first version. */
    private boolean sawNothing;
    /** True once an attempt failed since what its first read saw was not the newest of the whole table: it is not tried again. */
    private boolean settlesFirst;

    QuerySnapshot(ReadMode mode, Function<List<TableName>, ReadSnapshot> settle) {
        this.mode = mode;
        this.settle = settle;
    }

    /** @param wanted tables with atomic updates; of any number in mode STALE, which sees no moment */
    void want(List<TableName> wanted) {
        if (mode != ReadMode.STALE && wanted.size() > Limits.CUT_TABLES_MAX) {
            throw UniserveException.unsupported("a query of " + wanted.size() + " tables with atomic updates, at most "
                    + Limits.CUT_TABLES_MAX + " are read as of one moment");
        }
        tables = mode == ReadMode.STALE ? List.of() : List.copyOf(wanted);
    }

    /** True where the plan is to see one moment of some table. */
    boolean wanted() {
        return !tables.isEmpty();
    }

    /** True of a table that is to be seen as of this moment. */
    boolean has(TableName table) {
        return tables.contains(table);
    }

    /**
     * The moment for a read of these actors, empty for all of a table's; none where the read, the first one of the only table, says
     * which it is.
     */
    Optional<ReadSnapshot> forRead(Optional<List<Integer>> actors) {
        boolean first = settled.isEmpty() && !sawNothing && !settlesFirst;
        if (first && tables.size() == 1 && mode == ReadMode.LINEARIZABLE) {
            return Optional.empty();
        }
        boolean covered = settled.isPresent()
                && seen.isPresent()
                && actors.isPresent()
                && seen.get().containsAll(actors.get());
        return Optional.of(covered ? settled.get() : now());
    }

    /** The moment for several reads at the same time, or none. */
    Optional<ReadSnapshot> forReads() {
        return forRead(Optional.empty());
    }

    /** The moment of all actors, settled now where it is not; VERSION_GONE where another one was seen of some. */
    ReadSnapshot now() {
        if (settled.isPresent() && seen.isEmpty()) {
            return settled.get();
        }
        ReadSnapshot found = settle.apply(tables);
        if (sawNothing || settled.isPresent()) {
            ConsistentCut.Table now = found.table(tables.get(0)).orElseThrow();
            Optional<ConsistentCut.Table> before = settled.flatMap(readSnapshot -> readSnapshot.table(tables.get(0)));
            boolean same = before.map(one -> one.version() == now.version() && one.tableId() == now.tableId())
                    .orElse(now.version() == 0);
            if (!same) {
                settlesFirst = true;
                throw new UniserveException(
                        ErrorCode.VERSION_GONE,
                        "table " + tables.get(0) + " was updated between the query's first round, of some actors, and"
                                + " the next");
            }
        }
        seen = Optional.empty();
        settled = Optional.of(found);
        return found;
    }

    /** The first read, of these actors of the only table, saw this; empty for all. */
    void saw(TableName table, Optional<List<Integer>> actors, SnapshotRead.Result first) {
        if (first.version() > 0) {
            settled = Optional.of(ReadSnapshot.of(table, first.tableId(), first.version()));
            seen = actors;
        } else {
            sawNothing = true;
        }
    }

    /** The next attempt sees another one. */
    void forget() {
        settled = Optional.empty();
        seen = Optional.empty();
        sawNothing = false;
    }

    /** True where another attempt may be begun after so many, the last of which took so long, with so much time left. */
    static boolean mayBegin(int restarts, long tookNanos, long remainingNanos) {
        int most = tookNanos > Limits.PLAN_MOMENT_LONG_MS * 1_000_000
                ? Limits.VERSION_RESTARTS_MAX
                : Limits.PLAN_MOMENTS_MAX;
        return restarts < most && remainingNanos > tookNanos + pauseNanos(restarts);
    }

    /** How long to wait before another attempt, after so many. */
    static long pauseNanos(int restarts) {
        long pause = Limits.PLAN_MOMENT_PAUSE_MS << Math.min(restarts, 16);
        return Math.min(pause, Limits.PLAN_MOMENT_PAUSE_MAX_MS) * 1_000_000;
    }

    /** What the caller hears where no attempt is left. */
    static UniserveException lost(UniserveException error, int restarts) {
        return new UniserveException(
                ErrorCode.VERSION_GONE,
                error.reason() + "; " + (restarts + 1)
                        + " moments were tried: the tables are updated faster than the query's"
                        + " rounds are read. Ask for less, or in mode STALE, which sees any state",
                error);
    }
}
