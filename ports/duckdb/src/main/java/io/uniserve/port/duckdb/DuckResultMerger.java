package io.uniserve.port.duckdb;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.engine.ConnectionPool;
import io.uniserve.sql.execute.SqlPlanner;
import io.uniserve.sql.rows.SqlRows;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * Merger of answers for SQL over tables of this port. It uses a DuckDB too, so that values have the same meaning in both steps. That DuckDB
 * has no tables and reads the answers from the heap. It is started by the first query. Thread-safe.
 */
final class DuckResultMerger {
    private Optional<String> memoryLimit = Optional.empty();
    private final ConnectionPool<DuckDBConnection> connectionPool =
            new ConnectionPool<>(() -> startOnce().connect());
    private Optional<DuckDatabase> duck = Optional.empty();

    SqlPlanner planner() {
        return new SqlPlanner(RetrieveCall.of(DuckOperators.SELECT), this::merge, Optional.of(DuckOperators.CALLS));
    }

    /** Sets the memory limit, such as 2GB, and starts the database if it is not running. Fails for an invalid size. */
    synchronized void setMemoryLimit(String most) {
        if (duck.isEmpty()) {
            memoryLimit = Optional.of(most);
            try {
                startOnce();
            } catch (UniserveException e) {
                throw new UniserveException(
                        e.code(), "setting merge-memory: \"" + most + "\", give a size such as 2GB; " + e.reason(), e);
            }
        }
    }

    private synchronized DuckDatabase startOnce() {
        DuckDatabase known = duck.orElseGet(() -> new DuckDatabase(Optional.empty(), memoryLimit));
        duck = Optional.of(known);
        return known;
    }

    SqlRows merge(Map<String, SqlRows> tables, String statement, QueryCancellation life) {
        return DuckDatabase.QUERIES.call(
                "merge answers",
                () -> DuckRowsTableFunction.withRelations(
                        tables,
                        with -> connectionPool.read(by -> CancellableJdbcExecutor.answer(by, with + statement, life))));
    }
}
