package io.uniserve.sql.execute;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.QueryBlock;
import io.uniserve.sql.plan.QueryPlan;
import io.uniserve.sql.plan.QueryStage;
import io.uniserve.sql.plan.ShuffleQuery;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Cluster for planners: tables by columns, and rows of which only the number matters. */
public final class TestingPlan implements PlanContext {
    private static final Pattern LIMIT = Pattern.compile(" LIMIT (\\d+)$");

    private final Map<TableName, TableMeta> tables = new HashMap<>();
    private final Map<String, Long> counts = new HashMap<>();
    private final Map<String, Long> counted = new HashMap<>();
    private Function<String, @Nullable String> value = name -> "1";
    /** False in a session. */
    boolean shuffles = true;

    /** True if planners see actors of the same number on the same servers. */
    boolean together;

    int togetherMax = Integer.MAX_VALUE;
    /** True if they really are on the same servers. */
    boolean beside = true;

    /** Requested steps, in order, with their sides. */
    public final List<String> asked = new ArrayList<>();
    /** Number of rows of the last partial answer: at most the statement's LIMIT, as if one actor had them all. */
    long partial;
    /** Current time. */
    public long nanos;

    /** Creates three tables with these numbers of rows. The first two have whole keys; equal keys are co-located. */
    static TestingPlan together(long big, long mid, long small) {
        TestingPlan plan = new TestingPlan()
                .table("big", "b_id bigint, b_mid bigint, b_text varchar", big)
                .table("mid", "m_id integer, m_small bigint, m_text varchar", mid)
                .table("small", "s_id bigint, s_text varchar", small);
        plan.together = true;
        return plan;
    }

    /** Plans the query itself, without its sub-queries. With a negative {@code stays} the first table that can stay is the stationary one. */
    public static FragmentedPlan fragmented(Map<String, ColumnSchema> tables, String text, int stays) {
        return QueryPlan.of(tables, text).fragment(new QueryStage(QueryBlock.MAIN, false), stays);
    }

    public TestingPlan table(String name, String columns, long rows) {
        return table(name, columns, rows, new Partitioner.Hash(2));
    }

    TestingPlan table(String name, String columns, long rows, Partitioner actors) {
        String key = columns.substring(0, columns.indexOf(' '));
        Map<String, String> options = Map.of("columns", columns);
        TableName table = new TableName(name);
        tables.put(
                table,
                new TableMeta(table, 1, actors, key, ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "duckdb", options));
        counts.put(name, rows);
        return this;
    }

    /** Sets the counted rows of a table, which differ from the sent ones. */
    TestingPlan counted(String name, long rows) {
        counted.put(name, rows);
        return this;
    }

    public TestingPlan values(Function<String, @Nullable String> text) {
        value = text;
        return this;
    }

    @Override
    public TableMeta table(TableName name) {
        TableMeta meta = tables.get(name);
        if (meta == null) {
            throw new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist");
        }
        return meta;
    }

    @Override
    public <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        SqlQuery query = SqlQuery.CODEC.decode(SqlQuery.CODEC.encode((SqlQuery) parameters));
        String statement = query.work(ColumnSchema.of(table(table)), 0).statement();
        asked.add(query.step() + " " + table + " " + query.sides().keySet()
                + (query.answers().isEmpty() ? "" : " given " + query.answers().keySet()));
        long rows = counts.getOrDefault(table.value(), 0L);
        if (query.step() == SqlQuery.Step.PARTIAL) {
            Matcher limit = LIMIT.matcher(statement);
            rows = limit.find() ? Math.min(rows, Long.parseLong(limit.group(1))) : rows;
            partial = rows;
        }
        List<List<@Nullable String>> values = new ArrayList<>();
        if (query.step() == SqlQuery.Step.COUNT) {
            values.add(List.of(String.valueOf(counted.getOrDefault(table.value(), rows))));
        } else {
            int late = query.step() == SqlQuery.Step.LATE
                    ? query.fragment().late(query.item()).answers().size()
                    : 0;
            int columns = late
                    + Math.max(
                            1,
                            query.fragment()
                                    .side("table", query.item())
                                    .columns()
                                    .size());
            for (long row = 0; row < rows; row++) {
                values.add(Collections.nCopies(columns, value.apply(table + " " + row)));
            }
        }
        int width = values.isEmpty() ? 1 : values.get(0).size();
        SqlRows answer = new SqlRows(Collections.nCopies(width, "VARCHAR"), List.copyOf(values));
        @SuppressWarnings("unchecked") // the planner under test asks for rows only
        V part = (V) answer;
        return combiner.combine(List.of(part));
    }

    @Override
    public <P, V, R> R retrieve(
            TableName table, Set<Integer> actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        R answer = retrieve(table, call, parameters, combiner);
        asked.add(asked.remove(asked.size() - 1) + " of " + actors);
        return answer;
    }

    @Override
    public boolean areColocated(TableMeta table, Collection<TableMeta> others) {
        return together && others.size() <= togetherMax;
    }

    @Override
    public <P, V, R> R retrieveColocated(
            TableMeta table,
            Set<Integer> actors,
            Collection<TableMeta> others,
            V notThere,
            RetrieveCall<P, V> call,
            P parameters,
            Combiner<V, R> combiner) {
        R answer = retrieve(table.name(), call, parameters, combiner);
        asked.add(asked.remove(asked.size() - 1) + " beside "
                + others.stream().map(TableMeta::name).toList());
        @SuppressWarnings("unchecked") // as above
        V elsewhere = (V) SqlRows.CODEC.decode(SqlRows.CODEC.encode(SqlRows.NOT_COLOCATED));
        @SuppressWarnings("unchecked")
        V here = (V) new SqlRows(List.of("BIGINT"), List.of(List.of("1")));
        return beside ? answer : combiner.combine(List.of(here, elsewhere));
    }

    @Override
    public <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean canShuffle() {
        return shuffles;
    }

    /** Encodes and decodes all parameters, records the statements, and answers with one row. */
    @Override
    public <P, V, R> Shuffle.Result<R> shuffle(Shuffle<P, V> plan, Combiner<V, R> combiner) {
        List<Shuffle.Stage> stages = new ArrayList<>();
        for (Shuffle.Scatter<?> scatter : plan.scatters()) {
            ShuffleQuery query = decoded(scatter.parameters());
            if (scatter.inputs().isEmpty()) {
                ActorStatement work =
                        query.scatter(ColumnSchema.of(table(scatter.table())), 2, key -> "hash(" + key + ")");
                asked.add("SCATTER " + scatter.table() + " " + work.relations().keySet() + " " + work.statement());
            } else {
                ActorStatement work = query.join("files", "others", 2, key -> "hash(" + key + ")", 1);
                asked.add("MAP " + scatter.table() + " " + work.statement());
            }
            stages.add(stage(scatter.table()));
        }
        ShuffleQuery query = decoded(plan.parameters());
        asked.add("GATHER " + plan.gatherTable() + " "
                + query.gather(Optional.of("files"), Optional.empty()).statement());
        stages.add(stage(plan.gatherTable()));
        @SuppressWarnings("unchecked") // as above
        V part = (V) new SqlRows(List.of("BIGINT"), List.of(List.of("1")));
        return new Shuffle.Result<>(combiner.combine(List.of(part)), stages, 2);
    }

    private static Shuffle.Stage stage(TableName table) {
        return new Shuffle.Stage("test@1", table, 2, 3, 4_000, 0, 0, List.of("server"), 5_000_000);
    }

    private static ShuffleQuery decoded(Object parameters) {
        return ShuffleQuery.CODEC.decode(ShuffleQuery.CODEC.encode((ShuffleQuery) parameters));
    }

    @Override
    public void useRepeatableReads() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long remainingNanos() {
        return 1_000_000_000;
    }
}
