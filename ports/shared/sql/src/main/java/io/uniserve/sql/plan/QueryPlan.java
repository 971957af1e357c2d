package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.CheckedQuery;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.parse.SqlNodeUtils;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * Query as a list of stages, each a SELECT over tables and over answers of other stages. The same text has the same stages on every server,
 * because requests to actors refer to stages by number. Immutable.
 */
public final class QueryPlan {
    private static final Comparator<SqlParserPos> BY_POSITION =
            Comparator.comparingInt(SqlParserPos::getLineNum).thenComparingInt(SqlParserPos::getColumnNum);

    private final Map<Integer, QueryBlock> blocks;

    private QueryPlan(Map<Integer, QueryBlock> blocks) {
        this.blocks = blocks;
    }

    /** Plans a query. Fails with INVALID_ARGUMENT or UNSUPPORTED, with line and column. */
    public static QueryPlan of(Map<String, ColumnSchema> tables, String text) {
        ParsedQuery parsed = ParsedQuery.of(text);
        try {
            SqlNode checked = CheckedQuery.validate(tables, parsed);
            QueryPlan plan = new QueryPlan(new TreeMap<>(QueryBlockBuilder.read(byName(tables), checked)));
            // Unsupported statements are rejected before any actor is called.
            plan.blocks.keySet().forEach(number -> plan.fragment(new QueryStage(number, false), -1));
            return plan;
        } catch (StackOverflowError e) {
            throw SqlErrorFactory.tooDeep(e);
        }
    }

    /** Returns a map with case-insensitive names, as in SQL. */
    static <T> Map<String, T> byName(Map<String, T> tables) {
        Map<String, T> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(tables);
        return Collections.unmodifiableMap(all);
    }

    /** True if the query reads one table, once. */
    public boolean isSingleTable() {
        return blocks.size() == 1 && block(QueryBlock.MAIN).source().items().size() == 1;
    }

    /**
     * Sub-query that is a stage of its own.
     *
     * @param derived true if it is in FROM, false if it is in an expression
     */
    record Inner(SqlNode place, boolean derived) {}

    /** Returns the first sub-query of the text; empty if the query is one stage. */
    public Optional<Inner> firstInner() {
        return blocks.values().stream()
                // A key stage has the place of an expression, not of a query.
                .filter(queryBlock ->
                        queryBlock.number() != QueryBlock.MAIN && SqlNodeUtils.isQuery(queryBlock.place()))
                .min(Comparator.comparing(queryBlock -> queryBlock.place().getParserPosition(), BY_POSITION))
                .map(queryBlock -> new Inner(
                        queryBlock.place(),
                        blocks.values().stream()
                                .flatMap(other -> other.source().answers().stream())
                                .anyMatch(item -> item.block() == queryBlock.number())));
    }

    /** Returns a stage. Fails with INVALID_ARGUMENT if there is none. */
    public QueryBlock block(int number) {
        QueryBlock queryBlock = blocks.get(number);
        if (queryBlock == null) {
            throw UniserveException.invalid("the query has no stage " + number + "; it has stages " + blocks.keySet());
        }
        return queryBlock;
    }

    /** Returns a stage's statements. */
    public FragmentedPlan fragment(QueryStage stage, int stays) {
        return fragment(stage, stays, List.of());
    }

    /** Returns a stage's statements for tables whose rows come as they were joined: see {@link StatementNaming#PAIR}. */
    FragmentedPlan fragment(QueryStage stage, int stays, List<Integer> paired) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays)
                .withPairs(paired)
                .build();
    }

    /**
     * Returns the sub-query in the form that an actor checks for its own rows; duplicates are kept. Fails with INVALID_ARGUMENT if it does
     * not read exactly one table.
     */
    public ColocatedSemiJoin colocatedSemiJoin(int number) {
        QueryBlock queryBlock = block(number);
        List<QueryBlock.Item> tables = queryBlock.source().tables();
        if (number == QueryBlock.MAIN
                || tables.size() != 1
                || queryBlock.source().items().size() != 1) {
            throw UniserveException.invalid("stage " + number + " of the query is not a sub-query of one table");
        }
        FragmentedPlan split =
                new Fragmenter(blocks, queryBlock.withoutDistinct(), new QueryStage(number, false), 0).build();
        return new ColocatedSemiJoin(
                number,
                tables.get(0),
                queryBlock.output().selectItems().size(),
                split.partialStatement(),
                split.mergeStatement());
    }

    /** Returns column pairs that are equal in every row of a stage's join. */
    List<PredicatePushdown.Equality> equalities(QueryStage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).equalities();
    }

    /** Returns the tables of a stage that may be looked up after its groups. */
    List<DeferredLookupJoin> lookups(QueryStage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).candidates();
    }

    /** Returns column pairs that LEFT JOINs of a stage equate. The column of the preserved side comes first. */
    List<PredicatePushdown.Equality> outerEqualities(QueryStage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).partners();
    }
}
