package io.uniserve.port.druid.sql;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.port.druid.query.NativeQueryRunner;
import io.uniserve.port.druid.runtime.DruidServices;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.query.Query;

/**
 * Planner of all texts: SQL, and native queries, which it passes on. A text that begins with a brace is JSON: SQL if it has a member "query",
 * as in Druid's SQL API, otherwise a native query.
 *
 * <p>The first statement builds Druid's planner; it takes about a second.
 */
public final class SqlQueryPlanner implements Planner {
    private final Planner nativePlanner;
    private final DruidServices services = DruidServices.get();
    private final NativeQueryRunner runner = new NativeQueryRunner(services);
    private final TableSignatures signatures = new TableSignatures();
    private final Supplier<DruidSqlPlanner> planner = Suppliers.memoize(() -> new DruidSqlPlanner(services));

    /** Creates a planner of SQL that passes native queries on. */
    public SqlQueryPlanner(Planner nativePlanner) {
        this.nativePlanner = nativePlanner;
    }

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        String text = query.text();
        if (!SqlRequest.isSql(text, services.json())) {
            return nativePlanner.answer(query, context);
        }
        SqlResult result = StatementTables.isAsked(text)
                ? StatementTables.of(text)
                : run(SqlRequest.parse(text, services.json()), context);
        return SqlAnswers.of(result, services.json());
    }

    private SqlResult run(SqlRequest request, PlanContext context) {
        NativeQueries queries = new NativeQueries() {
            @Override
            public <T> Sequence<T> run(Query<T> query) {
                return runner.run(query, context);
            }
        };
        return planner.get().run(request, name -> signatures.of(name, context, queries), queries);
    }
}
