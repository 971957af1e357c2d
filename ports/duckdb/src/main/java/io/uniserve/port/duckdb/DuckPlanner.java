package io.uniserve.port.duckdb;

import io.uniserve.api.Columns;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.sql.SplitQuery;
import io.uniserve.sql.SqlAnswer;
import io.uniserve.sql.SqlRows;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** SQL over one table. The actors' answers are merged by a DuckDB too, so values mean the same in both steps. */
final class DuckPlanner implements Planner {
    @Override
    public Answer answer(QueryText text, PlanContext context) {
        Columns columns = Columns.of(context.table(text.table()));
        DuckOperators.Query query = new DuckOperators.Query(text.table().value(), text.text());
        SplitQuery split = DuckOperators.split(columns, query);
        SqlRows parts = context.retrieve(text.table(), RetrieveCall.of(DuckOperators.SELECT), query, SqlRows::concat);
        SqlRows rows = Duck.QUERIES.translated(
                "merge answers", () -> merge(split, parts, DuckOperators.seconds(context.remainingNanos())));
        return SqlAnswer.of(split.names(), rows);
    }

    /** A connection's temporary tables are its own and go with it. */
    private static SqlRows merge(SplitQuery split, SqlRows parts, int seconds) throws SQLException {
        try (DuckDBConnection connection = Merging.DUCK.connect()) {
            int columns = parts.types().size();
            Duck.run(connection, "CREATE TEMP TABLE texts (" + each(columns, i -> "c" + i + " VARCHAR") + ")");
            try (DuckDBAppender appender = connection.createAppender("temp", "main", "texts")) {
                for (List<@Nullable String> row : parts.rows()) {
                    appender.beginRow();
                    for (String value : row) {
                        if (value == null) {
                            appender.appendNull();
                        } else {
                            appender.append(value);
                        }
                    }
                    appender.endRow();
                }
            }
            Duck.run(
                    connection,
                    "CREATE TEMP VIEW " + SplitQuery.PARTS + " AS SELECT "
                            + each(
                                    columns,
                                    i -> "CAST(c" + i + " AS " + parts.types().get(i) + ") AS c" + i)
                            + " FROM texts");
            return Duck.query(connection, split.finish(), seconds);
        }
    }

    private static String each(int columns, java.util.function.IntFunction<String> text) {
        return IntStream.range(0, columns).mapToObj(text).collect(Collectors.joining(", "));
    }

    /** Started when the first query comes; it holds nothing between queries. */
    private static final class Merging {
        static final Duck DUCK = new Duck(Optional.empty(), Optional.empty());
    }
}
