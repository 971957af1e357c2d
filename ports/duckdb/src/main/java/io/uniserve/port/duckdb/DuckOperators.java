package io.uniserve.port.duckdb;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.sql.execute.SqlShuffleOperators;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import java.util.List;

/** The operators of the DuckDB port. */
public final class DuckOperators {
    /** Partial answer of a query from an actor's rows. */
    public static final RetrieveOperator<DuckTable, SqlQuery, SqlRows> SELECT = RetrieveOperator.of(
            new RetrieveCall<>("duckdb.select@1", SqlQuery.CODEC, SqlRows.CODEC),
            DuckTable.class,
            DuckOperators::select);

    private static final SqlShuffleOperators SHUFFLE =
            new SqlShuffleOperators(key -> "hash(" + key + ")", DuckRowsTableFunction::parquet);

    static final SqlShuffleOperators.Calls CALLS = SqlShuffleOperators.calls("duckdb", DuckDatabase.version());

    static final List<Operator<?, ?>> ALL = List.of(
            SELECT,
            SHUFFLE.scatter(CALLS, DuckTable.class),
            SHUFFLE.join(CALLS, DuckTable.class),
            SHUFFLE.gather(CALLS, DuckTable.class));

    private DuckOperators() {}

    private static SqlRows select(DuckTable actor, OperatorContext context, SqlQuery query) {
        context.checkActive();
        SqlRows rows = actor.answer(query.work(actor.columns(), context.actor()), context);
        context.checkActive();
        return rows;
    }
}
