package io.uniserve.sql.execute;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.engine.MergingEngine;
import io.uniserve.sql.engine.SqlDialect;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.ColocatedSubquerySelector;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.plan.UnsupportedFeatureChecker;
import io.uniserve.sql.rows.SqlAnswer;
import io.uniserve.sql.rows.SqlErrorFactory;
import io.uniserve.sql.rows.SqlRows;
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
 * Planner for SQL over the tables of a port. For one table every actor answers its part, and the engine merges the parts. In a join one
 * table stays in place, and the wanted rows of the others are sent to each server that has actors of it. A table that is too large for that
 * is shuffled with the stationary one by a column of the join.
 */
public final class SqlPlanner implements Planner {
    private static final Pattern EXPLAIN = Pattern.compile("(?is)\\s*explain\\s(.*)");

    /** Trino's statement for the tables that another statement reads. */
    private static final Pattern EXPLAIN_TABLES =
            Pattern.compile("(?is)\\s*explain\\s+\\(\\s*type\\s+io\\s*\\)\\s(.*)");

    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final MergingEngine engine;
    private final Optional<SqlShuffleOperators.Calls> shuffle;
    private final UnsupportedFeatureChecker unsupportedFeatures;
    private final CardinalityCache cardinalities = new CardinalityCache();

    /** Creates the planner of a port with this operator. */
    public SqlPlanner(RetrieveCall<SqlQuery, SqlRows> call, MergingEngine engine) {
        this(call, engine, Optional.empty(), SqlDialect.DUCKDB);
    }

    /** Creates the planner of a port that can also shuffle, and so join two large tables. */
    public SqlPlanner(
            RetrieveCall<SqlQuery, SqlRows> call, MergingEngine engine, Optional<SqlShuffleOperators.Calls> shuffle) {
        this(call, engine, shuffle, SqlDialect.DUCKDB);
    }

    /** Creates the planner of a port whose engine has another dialect than DuckDB's. Features that the dialect lacks are refused. */
    public SqlPlanner(RetrieveCall<SqlQuery, SqlRows> call, MergingEngine engine, SqlDialect dialect) {
        this(call, engine, Optional.empty(), dialect);
    }

    private SqlPlanner(
            RetrieveCall<SqlQuery, SqlRows> call,
            MergingEngine engine,
            Optional<SqlShuffleOperators.Calls> shuffle,
            SqlDialect dialect) {
        this.call = call;
        this.engine = engine;
        this.shuffle = shuffle;
        this.unsupportedFeatures = new UnsupportedFeatureChecker(dialect.unsupportedFeatures());
    }

    @Override
    public Optional<String> explainQuery(String text) {
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
        // Lines and columns of errors count from after the word EXPLAIN.
        String sql = explained ? explain.group(1) : text.text();
        ParsedQuery parsed = SqlQuery.parse(sql);
        if (parsed.isTableless()) {
            TablelessSelect query = TablelessSelect.of(ParsedQuery.of(sql));
            unsupportedFeatures.check(parsed.tree(), Optional.empty());
            unsupportedFeatures.check(Map.of(), sql);
            SqlRows row = query.rows(engine, context);
            return explained ? formatSteps(List.of(), row) : SqlAnswer.of(query.names(), row);
        }
        Map<String, TableMeta> metas = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        parsed.tables().forEach(named -> metas.put(named.getSimple(), meta(named, text, context)));
        parsed.check(text.table().value());
        Map<String, ColumnSchema> tables = new HashMap<>();
        metas.forEach((name, meta) -> tables.put(name, ColumnSchema.of(meta)));
        SqlQuery query = SqlQuery.of(sql, tables);
        unsupportedFeatures.check(parsed.tree(), query.plan().firstInner());
        unsupportedFeatures.check(tables, sql);
        if (!text.actors().isEmpty() && !query.plan().isSingleTable()) {
            throw UniserveException.unsupported("a query of several tables needs all actors of them, not a selection");
        }
        context.useSnapshot(metas.values().stream().map(TableMeta::name).collect(Collectors.toSet()));
        List<String> told = new ArrayList<>();
        StageScheduler stageScheduler = new StageScheduler(
                query,
                asked -> new StageExecutor(
                        new StageCallRunner(call, context, metas, told, unsupportedFeatures),
                        engine,
                        shuffle,
                        cardinalities,
                        asked),
                shuffle.map(nests -> new ColocatedSubquerySelector.Cluster(metas, cardinalities, context)));
        SqlRows rows = stageScheduler.rows();
        return explained
                ? formatSteps(told, rows)
                : SqlAnswer.of(query.fragment().names(), rows);
    }

    /** Returns the names in FROM anywhere in a statement, as written, one per row. Such tables need not exist. */
    private static Answer tables(String statement) {
        Matcher explain = EXPLAIN.matcher(statement);
        ParsedQuery parsed = SqlQuery.parse(explain.matches() ? explain.group(1) : statement);
        List<List<String>> names = parsed.tables().stream()
                .map(named -> List.of(named.getSimple()))
                .toList();
        return SqlAnswer.of(List.of("table"), new SqlRows(List.of("VARCHAR"), names));
    }

    /** Returns the rounds as text. The query was run, but its answer is not shown. */
    private static Answer formatSteps(List<String> told, SqlRows rows) {
        String text = String.join("\n", told) + "\n" + "answer: " + StageCallRunner.formatRowCount(rows.count()) + "\n";
        return new Answer("text/plain", Bytes.utf8(text)).withRows(told.size() + 1L);
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
            throw SqlErrorFactory.withPosition(named, e);
        }
        throw SqlErrorFactory.unsupported(
                named, "a join of table " + asked.name() + " with a table of another port is");
    }
}
