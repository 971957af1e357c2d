package io.uniserve.sql;

import io.uniserve.api.Columns;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.sql.ParsedQuery.Named;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQL over tables of a port: of one table every actor answers its part, and the engine merges the parts. Of several tables
 * one stays in its place, and the rows that are wanted of the others are sent to each server that has actors of it.
 */
public final class SqlPlanner implements Planner {
    private static final Pattern EXPLAIN = Pattern.compile("(?is)\\s*explain\\s(.*)");

    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final Merging engine;

    /** The engine at the place where queries are planned; so values mean the same in both steps. */
    @FunctionalInterface
    public interface Merging {
        /**
         * Answers a statement over one table {@value SplitQuery#PARTS} with columns c0, c1, ...
         *
         * @param nanos that the statement may take
         */
        SqlRows answer(SqlRows parts, String statement, long nanos);
    }

    /** A planner of a port with this operator. */
    public SqlPlanner(RetrieveCall<SqlQuery, SqlRows> call, Merging engine) {
        this.call = call;
        this.engine = engine;
    }

    @Override
    public Answer answer(QueryText text, PlanContext context) {
        Matcher explain = EXPLAIN.matcher(text.text());
        boolean explained = explain.matches();
        // Lines and columns are counted from behind the word.
        String sql = explained ? explain.group(1) : text.text();
        ParsedQuery parsed = ParsedQuery.of(sql);
        Map<String, TableMeta> metas = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        parsed.tables().forEach(named -> metas.computeIfAbsent(named.table(), name -> meta(named, text, context)));
        parsed.check(text.table().value());
        Map<String, Columns> tables = new HashMap<>();
        metas.forEach((name, meta) -> tables.put(name, Columns.of(meta)));
        if (parsed.tables().size() > 1 && !text.actors().isEmpty()) {
            throw UniserveException.unsupported("a query of several tables is asked of all actors, not of some");
        }
        SqlQuery query = new SqlQuery(sql, tables, SqlQuery.Step.PARTIAL, -1, 0, Map.of());
        SqlRun run = new SqlRun(call, engine, context, metas, query);
        SqlRows rows = run.rows();
        return explained ? run.explained(rows) : SqlAnswer.of(run.names(), rows);
    }

    private static TableMeta meta(Named named, QueryText text, PlanContext context) {
        TableMeta asked = context.table(text.table());
        if (named.table().equalsIgnoreCase(text.table().value())) {
            return asked;
        }
        try {
            TableMeta meta = context.table(new TableName(named.table()));
            if (meta.port().equals(asked.port())) {
                return meta;
            }
        } catch (UniserveException e) {
            throw SqlErrors.at(named.name(), e);
        }
        throw SqlErrors.unsupported(
                named.name(), "a join of table " + asked.name() + " with a table of another port is");
    }
}
