package io.uniserve.port.duckdb;

import io.uniserve.api.QueryLife;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.Connections;
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
final class DuckMerging {
    private Optional<String> memory = Optional.empty();
    private final Connections<DuckDBConnection> connections =
            new Connections<>(() -> started().connect());
    private Optional<Duck> duck = Optional.empty();

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

    private synchronized Duck started() {
        Duck known = duck.orElseGet(() -> new Duck(Optional.empty(), memory));
        duck = Optional.of(known);
        return known;
    }

    SqlRows merge(Map<String, SqlRows> tables, String statement, QueryLife life) {
        return Duck.QUERIES.translated(
                "merge answers",
                () -> DuckRelations.with(
                        tables, with -> connections.read(by -> JdbcQueries.answer(by, with + statement, life))));
    }
}
