package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.tx.VersionedReadMachine;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the first round of a plan saw of tables with atomic updates, for rounds that are to see the same: the version, and the
 * number of the table, as another one of its name has versions too. Not thread-safe.
 */
final class SeenVersions {
    private final TreeMap<TableName, VersionedReadMachine.Result> first = new TreeMap<>();

    /** The version to ask for, 0 for the newest. */
    long version(TableName table) {
        VersionedReadMachine.@Nullable Result seen = first.get(table);
        return seen == null ? 0 : seen.version();
    }

    /** The number of the table to ask, 0 for that which has the name now. */
    long tableId(TableName table) {
        VersionedReadMachine.@Nullable Result seen = first.get(table);
        return seen == null ? 0 : seen.tableId();
    }

    /** A round saw this; VERSION_GONE where the table had no version yet when the first one saw it. */
    void saw(TableName table, VersionedReadMachine.Result result) {
        VersionedReadMachine.@Nullable Result before = first.putIfAbsent(table, result);
        if (before != null && before.version() == 0 && result.version() > 0) {
            throw new UniserveException(
                    ErrorCode.VERSION_GONE,
                    "table " + table + " had its first update between the query's first round and the next");
        }
    }

    /** The next attempt sees another one. */
    void forget() {
        first.clear();
    }
}
