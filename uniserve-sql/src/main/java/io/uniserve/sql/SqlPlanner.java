package io.uniserve.sql;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.extra.Columns;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlIdentifier;

/**
 * SQL over tables of a port: of one table every actor answers its part, and the engine merges the parts. Of several tables
 * one stays in its place, and the rows that are wanted of the others are sent to each server that has actors of it; one
 * that is too large for that is cut by a column of the join, as the one that stays then is, so that their rows meet.
 */
public final class SqlPlanner implements Planner {
    private static final Pattern EXPLAIN = Pattern.compile("(?is)\\s*explain\\s(.*)");

    /** Trino's statement for the tables that another one reads. */
    private static final Pattern EXPLAIN_TABLES =
            Pattern.compile("(?is)\\s*explain\\s+\\(\\s*type\\s+io\\s*\\)\\s(.*)");

    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final Merging engine;
    private final Optional<SqlShuffle.Calls> shuffle;
    private final UnsupportedFeatures unsupportedFeatures;
    private final CardinalityCache counts = new CardinalityCache();

    /** The engine at the place where queries are planned; so values mean the same in both steps. */
    @FunctionalInterface
    public interface Merging {
        /**
         * Answers a statement over these tables with columns c0, c1, ... It is written for DuckDB: see {@link SqlDialect}.
         *
         * @param tables by the names that the statement has for them
         * @param life of the query; the statement may take as long as that
         */
        SqlRows answer(Map<String, SqlRows> tables, String statement, QueryCancellation life);
    }

    /** A planner of a port with this operator. */
    public SqlPlanner(RetrieveCall<SqlQuery, SqlRows> call, Merging engine) {
        this(call, engine, Optional.empty(), SqlDialect.DUCKDB);
    }

    /** The same of a port that can join two large tables too. */
    public SqlPlanner(RetrieveCall<SqlQuery, SqlRows> call, Merging engine, Optional<SqlShuffle.Calls> shuffle) {
        this(call, engine, shuffle, SqlDialect.DUCKDB);
    }

    /** The same of a port whose engine has another dialect than DuckDB's: what it is unable to do is refused. */
    public SqlPlanner(RetrieveCall<SqlQuery, SqlRows> call, Merging engine, SqlDialect dialect) {
        this(call, engine, Optional.empty(), dialect);
    }

    private SqlPlanner(
            RetrieveCall<SqlQuery, SqlRows> call,
            Merging engine,
            Optional<SqlShuffle.Calls> shuffle,
            SqlDialect dialect) {
        this.call = call;
        this.engine = engine;
        this.shuffle = shuffle;
        this.unsupportedFeatures = dialect.unable();
    }

    @Override
    public Optional<String> explaining(String text) {
        return Optional.of(EXPLAIN.matcher(text).matches() ? text : "EXPLAIN " + text);
    }

    @Override
    public Answer answer(QueryText text, PlanContext context) {
        Matcher tablesOf = EXPLAIN_TABLES.matcher(text.text());
        if (tablesOf.matches()) {
            return tables(tablesOf.group(1));
        }
        Matcher explain = EXPLAIN.matcher(text.text());
        boolean explained = explain.matches();
        // Lines and columns are counted from behind the word.
        String sql = explained ? explain.group(1) : text.text();
        ParsedQuery parsed = SqlQuery.parsed(sql);
        if (parsed.tableless()) {
            Tableless query = Tableless.of(ParsedQuery.of(sql));
            unsupportedFeatures.check(parsed.tree(), Optional.empty());
            unsupportedFeatures.check(Map.of(), sql);
            SqlRows row = query.rows(engine, context);
            return explained ? explained(List.of(), row) : SqlAnswer.of(query.names(), row);
        }
        Map<String, TableMeta> metas = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        parsed.tables().forEach(named -> metas.put(named.getSimple(), meta(named, text, context)));
        parsed.check(text.table().value());
        Map<String, Columns> tables = new HashMap<>();
        metas.forEach((name, meta) -> tables.put(name, Columns.of(meta)));
        SqlQuery query = SqlQuery.of(sql, tables);
        unsupportedFeatures.check(parsed.tree(), query.plan().first());
        unsupportedFeatures.check(tables, sql);
        if (!text.actors().isEmpty() && !query.plan().single()) {
            throw UniserveException.unsupported("a query of several tables is asked of all actors, not of some");
        }
        context.oneMoment(metas.values().stream().map(TableMeta::name).collect(Collectors.toSet()));
        List<String> told = new ArrayList<>();
        StageScheduler stageScheduler = new StageScheduler(
                query,
                asked -> new SqlRun(
                        new ActorCalls(call, context, metas, told, unsupportedFeatures),
                        engine,
                        shuffle,
                        counts,
                        asked),
                shuffle.map(nests -> new SubqueryPlacement.Cluster(metas, counts, context)));
        SqlRows rows = stageScheduler.rows();
        return explained ? explained(told, rows) : SqlAnswer.of(query.split().names(), rows);
    }

    /** The names that FROM has anywhere in a statement, as it writes them, a row each; they need not be those of tables. */
    private static Answer tables(String statement) {
        Matcher explain = EXPLAIN.matcher(statement);
        ParsedQuery parsed = SqlQuery.parsed(explain.matches() ? explain.group(1) : statement);
        List<List<String>> names = parsed.tables().stream()
                .map(named -> List.of(named.getSimple()))
                .toList();
        return SqlAnswer.of(List.of("table"), new SqlRows(List.of("VARCHAR"), names));
    }

    /** The rounds as text: the query was run, and its answer is not shown. */
    private static Answer explained(List<String> told, SqlRows rows) {
        String text = String.join("\n", told) + "\n" + "answer: " + ActorCalls.rows(rows.count()) + "\n";
        return new Answer("text/plain", Bytes.utf8(text));
    }

    private static TableMeta meta(SqlIdentifier named, QueryText text, PlanContext context) {
        TableMeta asked = context.table(text.table());
        if (named.getSimple().equalsIgnoreCase(text.table().value())) {
            return asked;
        }
        try {
            TableMeta meta = context.table(new TableName(named.getSimple()));
            if (meta.port().equals(asked.port())) {
                return meta;
            }
        } catch (UniserveException e) {
            throw SqlErrors.at(named, e);
        }
        throw SqlErrors.unsupported(named, "a join of table " + asked.name() + " with a table of another port is");
    }
}
