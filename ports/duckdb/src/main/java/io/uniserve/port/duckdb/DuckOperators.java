package io.uniserve.port.duckdb;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.sql.SqlQuery;
import io.uniserve.sql.SqlRows;
import java.util.List;

/** The operators of the DuckDB port. */
public final class DuckOperators {
    /** What an actor's rows contribute to a query. */
    public static final RetrieveOperator<DuckTable, SqlQuery, SqlRows> SELECT = RetrieveOperator.of(
            new RetrieveCall<>("duckdb.select@1", SqlQuery.CODEC, SqlRows.CODEC),
            DuckTable.class,
            DuckOperators::select);

    static final List<Operator<?, ?>> ALL = List.of(SELECT);

    private DuckOperators() {}

    private static SqlRows select(DuckTable actor, OperatorContext context, SqlQuery query) {
        context.checkActive();
        SqlRows rows = actor.query(query.work(actor.columns()), seconds(context.remainingNanos()));
        context.checkActive();
        return rows;
    }

    /** Whole seconds, at least as many as remain. */
    static int seconds(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, (nanos + 999_999_999) / 1_000_000_000));
    }
}
