package io.uniserve.port.duckdb;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.sql.SqlPlanner;
import io.uniserve.sql.SqlRows;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/** SQL over tables of this port. The actors' answers are merged by a DuckDB too, so values mean the same in both steps. */
final class DuckMerging {
    static final SqlPlanner PLANNER =
            new SqlPlanner(RetrieveCall.of(DuckOperators.SELECT), DuckMerging::merge, Optional.of(DuckOperators.CALLS));

    private DuckMerging() {}

    private static SqlRows merge(Map<String, SqlRows> tables, String statement, long nanos) {
        return Duck.QUERIES.translated("merge answers", () -> {
            try (DuckDBConnection connection = Merging.DUCK.connect()) {
                for (Map.Entry<String, SqlRows> table : tables.entrySet()) {
                    DuckRelations.load(connection, table.getKey(), table.getValue());
                }
                return Duck.query(connection, statement, DuckOperators.seconds(nanos));
            }
        });
    }

    /** Started when the first query comes; it holds nothing between queries. */
    private static final class Merging {
        static final Duck DUCK = new Duck(Optional.empty(), Optional.empty());
    }
}
