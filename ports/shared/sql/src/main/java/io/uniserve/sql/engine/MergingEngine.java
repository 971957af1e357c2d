package io.uniserve.sql.engine;

import io.uniserve.api.QueryCancellation;
import io.uniserve.sql.rows.SqlRows;
import java.util.Map;

/** Engine on the server that plans the query. It merges the answers, so values have the same meaning in both steps. */
@FunctionalInterface
public interface MergingEngine {
    /**
     * Answers a statement over these tables, whose columns are c0, c1, ... It is in DuckDB's SQL: see {@link SqlDialect}.
     *
     * @param tables by their names in the statement
     * @param life the query's deadline and cancellation
     */
    SqlRows answer(Map<String, SqlRows> tables, String statement, QueryCancellation life);
}
