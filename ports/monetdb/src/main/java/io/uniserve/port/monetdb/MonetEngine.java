package io.uniserve.port.monetdb;

import static io.uniserve.port.monetdb.MonetDatabase.MONETDB;

import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.QueryCancellation;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Planner;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.engine.RowActorFactory;
import io.uniserve.sql.engine.RowUpdateFunctions;
import io.uniserve.sql.engine.SqlTableValidator;
import io.uniserve.sql.execute.SqlPlanner;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlRows;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Engine MonetDBLite. Table options: {@code columns} and {@code primary}, see {@link ColumnSchema}. It has no settings. */
public final class MonetEngine implements Engine {
    private static final String PORT = "monetdb";

    /** Partial answer of a query from an actor's rows. */
    static final RetrieveOperator<MonetTable, SqlQuery, SqlRows> SELECT = RetrieveOperator.of(
            new RetrieveCall<>(PORT + ".select@1", SqlQuery.CODEC, SqlRows.CODEC),
            MonetTable.class,
            MonetEngine::select);

    private static final EngineFunctions FUNCTIONS =
            new EngineFunctions(List.of(SELECT), RowUpdateFunctions.of(PORT, MonetActor.class));

    private static SqlRows select(MonetTable actor, OperatorContext context, SqlQuery query) {
        context.checkActive();
        SqlRows rows = actor.query(query.work(actor.columns(), context.actor()));
        context.checkActive();
        return rows;
    }

    /** Merges answers in MonetDB too, so that values have the same meaning in both steps. It does not support deadlines. */
    private static SqlRows merge(Map<String, SqlRows> tables, String statement, QueryCancellation life) {
        MonetDatabase.start();
        return MonetDatabase.QUERIES.call(
                "merge answers",
                () -> MonetDatabase.RELATIONS.read(
                        PackedRows.of(tables), made -> MonetDatabase.answer(made, statement)));
    }

    @Override
    public PortInfo info() {
        return FUNCTIONS.info(PORT, "1", Set.of(ConsistencyLevel.values()));
    }

    @Override
    public void validate(TableMeta meta) {
        MonetColumns.of(SqlTableValidator.check(PORT, meta)).check();
    }

    @Override
    public EngineInstance open(EngineContext context) {
        SqlTableValidator.checkSettings(PORT, context.settings(), Set.of());
        MonetDatabase.start();
        RowActorFactory<MonetActor> actors = new RowActorFactory<>(
                actor -> MONETDB.call("make a table", () -> new MonetActor(ColumnSchema.of(actor.meta()))),
                MonetActor::restore);
        return FUNCTIONS.instance(actors, actors::close);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new SqlPlanner(RetrieveCall.of(SELECT), MonetEngine::merge, MonetDialect.MONETDB));
    }
}
