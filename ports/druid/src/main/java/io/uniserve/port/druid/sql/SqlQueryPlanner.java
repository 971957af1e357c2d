package io.uniserve.port.druid.sql;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.model.TableName;
import io.uniserve.port.druid.query.NativeQueryRunner;
import io.uniserve.port.druid.runtime.DruidErrors;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.TableLookups;
import java.util.HashMap;
import java.util.Map;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.query.Query;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainer;
import org.jspecify.annotations.Nullable;

/**
 * Planner of the Druid port. It answers SQL, and passes native queries to another planner. A text that begins with a brace is JSON: a request
 * of Druid's SQL API if it has a text "query", otherwise a native query.
 *
 * <p>The first statement builds Druid's planner, which takes about a second.
 */
public final class SqlQueryPlanner implements Planner {
    private final Planner nativePlanner;
    private final DruidServices services = DruidServices.get();
    private final NativeQueryRunner runner = new NativeQueryRunner(services);
    private final TableSignatures signatures = new TableSignatures();
    private @Nullable DruidSqlPlanner planner;

    /** Creates a planner that passes native queries to this one. */
    public SqlQueryPlanner(Planner nativePlanner) {
        this.nativePlanner = nativePlanner;
    }

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        String text = query.text();
        if (!SqlRequest.isSql(text, services.json())) {
            return nativePlanner.answer(query, context);
        }
        SqlResult result = StatementTables.isExplainIo(text)
                ? StatementTables.of(text)
                : run(query.table(), SqlRequest.parse(text, services.json()), context);
        return SqlAnswers.of(result, services.json());
    }

    private synchronized DruidSqlPlanner planner() {
        DruidSqlPlanner built = planner;
        if (built == null) {
            built = new DruidSqlPlanner(services);
            planner = built;
        }
        return built;
    }

    private SqlResult run(TableName first, SqlRequest request, PlanContext context) {
        NativeQueries queries = new NativeQueries() {
            @Override
            public <T> Sequence<T> run(Query<T> query) {
                return runner.run(query, context);
            }
        };
        return DruidErrors.DRUID.call(
                "answer a statement",
                () -> services.lookups()
                        .call(
                                lookups(first, request.sql(), context),
                                () -> planner().run(request, name -> signatures.of(name, context, queries), queries)));
    }

    /** Lookups of all tables of the statement; those of the table that it is sent to come first. */
    private static Map<String, LookupExtractorFactoryContainer> lookups(
            TableName first, String sql, PlanContext context) {
        Map<String, LookupExtractorFactoryContainer> all = new HashMap<>(TableLookups.of(context.table(first)));
        for (Object[] row : StatementTables.of(sql).rows()) {
            TableSignatures.table(String.valueOf(row[0]), context).ifPresent(meta -> TableLookups.add(meta, all));
        }
        return all;
    }
}
