package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.tx.SnapshotRead;
import java.util.Collection;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the first round of a plan saw of tables with atomic updates, for rounds that are to see the same: the version, and the
 * number of the table, as another one of its name has versions too. Not thread-safe.
 */
final class ReadVersionTracker {
    private final TreeMap<TableName, SnapshotRead.Result> first = new TreeMap<>();
    private final TreeMap<TableName, Set<Integer>> asked = new TreeMap<>();

    /**
     * A round asks these actors; UNSUPPORTED where the first one did not ask all of them. Of others its version may be older than the
     * query: an update of theirs alone may have been acknowledged before that no replica of the first round had heard of.
     */
    void asks(TableName table, Collection<Integer> actors) {
        Set<Integer> before = asked.putIfAbsent(table, new TreeSet<>(actors));
        if (before != null && !before.containsAll(actors)) {
            throw UniserveException.unsupported("the query's planner asks other actors of table " + table
                    + " than its first round, whose state they must see: ask in mode STRICT");
        }
    }

    /** The version to ask for, 0 for the newest. */
    long version(TableName table) {
        SnapshotRead.@Nullable Result seen = first.get(table);
        return seen == null ? 0 : seen.version();
    }

    /** The number of the table to ask, 0 for that which has the name now. */
    long tableId(TableName table) {
        SnapshotRead.@Nullable Result seen = first.get(table);
        return seen == null ? 0 : seen.tableId();
    }

    /** A round saw this; VERSION_GONE where the table had no version yet when the first one saw it. */
    void saw(TableName table, SnapshotRead.Result result) {
        SnapshotRead.@Nullable Result before = first.putIfAbsent(table, result);
        if (before != null && before.version() == 0 && result.version() > 0) {
            throw new UniserveException(
                    ErrorCode.VERSION_GONE,
                    "table " + table + " had its first update between the query's first round and the next");
        }
    }

    /** The next attempt sees another one. */
    void forget() {
        first.clear();
        asked.clear();
    }
}
