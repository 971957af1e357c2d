package io.uniserve.port.duckdb;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.ConnectionPool;
import io.uniserve.sql.JdbcQueries;
import io.uniserve.sql.SqlPlanner;
import io.uniserve.sql.SqlRows;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * SQL over tables of this port. The actors' answers are merged by a DuckDB too, so values mean the same in both steps; it has
 * no tables, reads the answers where they are, and is started when the first query comes. Safe for use by several threads.
 */
final class DuckResultMerger {
    private Optional<String> memory = Optional.empty();
    private final ConnectionPool<DuckDBConnection> connectionPool =
            new ConnectionPool<>(() -> started().connect());
    private Optional<DuckDatabase> duck = Optional.empty();

    SqlPlanner planner() {
        return new SqlPlanner(RetrieveCall.of(DuckOperators.SELECT), this::merge, Optional.of(DuckOperators.CALLS));
    }

    /** What it may take, such as 2GB, from here on; fails where that is no size. It is started, once. */
    synchronized void limit(String most) {
        if (duck.isEmpty()) {
            memory = Optional.of(most);
            try {
                started();
            } catch (UniserveException e) {
                throw new UniserveException(
                        e.code(), "setting merge-memory: \"" + most + "\", give a size such as 2GB; " + e.reason(), e);
            }
        }
    }

    private synchronized DuckDatabase started() {
        DuckDatabase known = duck.orElseGet(() -> new DuckDatabase(Optional.empty(), memory));
        duck = Optional.of(known);
        return known;
    }

    SqlRows merge(Map<String, SqlRows> tables, String statement, QueryCancellation life) {
        return DuckDatabase.QUERIES.translated(
                "merge answers",
                () -> DuckRowsTableFunction.with(
                        tables, with -> connectionPool.read(by -> JdbcQueries.answer(by, with + statement, life))));
    }
}
