package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import java.util.Collection;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Versions that the first round of a plan read of atomic tables, for later rounds that must read the same. It keeps the table number
 * too, as a later table of the same name also has versions. Not thread-safe.
 */
final class ReadVersionTracker {
    private final TreeMap<TableName, SnapshotReadExecution.Result> firstResults = new TreeMap<>();
    private final TreeMap<TableName, Set<Integer>> firstActors = new TreeMap<>();

    /**
     * Records that a round reads these actors. Fails with UNSUPPORTED if the first round did not read all of them. For other actors
     * its version may be too old: an update of those actors alone may be acknowledged before the query, unknown to the first round's
     * replicas.
     */
    void recordActors(TableName table, Collection<Integer> actors) {
        Set<Integer> before = firstActors.putIfAbsent(table, new TreeSet<>(actors));
        if (before != null && !before.containsAll(actors)) {
            throw UniserveException.unsupported("the query's planner reads other actors of table " + table
                    + " than its first round, and all must have one state: use mode STRICT");
        }
    }

    /** Version to read, 0 for the newest. */
    long version(TableName table) {
        SnapshotReadExecution.@Nullable Result seen = firstResults.get(table);
        return seen == null ? 0 : seen.version();
    }

    /** Number of the table to read, 0 for the present table of that name. */
    long tableId(TableName table) {
        SnapshotReadExecution.@Nullable Result seen = firstResults.get(table);
        return seen == null ? 0 : seen.tableId();
    }

    /** Records a round's result. Fails with VERSION_GONE if the table had no version at the first round and has one now. */
    void recordResult(TableName table, SnapshotReadExecution.Result result) {
        SnapshotReadExecution.@Nullable Result before = firstResults.putIfAbsent(table, result);
        if (before != null && before.version() == 0 && result.version() > 0) {
            throw new UniserveException(
                    ErrorCode.VERSION_GONE,
                    "table " + table + " had its first update between the query's first round and the next");
        }
    }

    /** Discards all versions; the next attempt reads others. */
    void discard() {
        firstResults.clear();
        firstActors.clear();
    }
}
