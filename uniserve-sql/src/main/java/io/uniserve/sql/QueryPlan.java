package io.uniserve.sql;

import io.uniserve.api.extra.Columns;
import io.uniserve.error.UniserveException;
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
final class QueryPlan {
    private static final Comparator<SqlParserPos> PLACES =
            Comparator.comparingInt(SqlParserPos::getLineNum).thenComparingInt(SqlParserPos::getColumnNum);

    private final Map<Integer, QueryBlock> blocks;

    private QueryPlan(Map<Integer, QueryBlock> blocks) {
        this.blocks = blocks;
    }

    /** Plans a query. Fails with INVALID_ARGUMENT or UNSUPPORTED, with line and column. */
    static QueryPlan of(Map<String, Columns> tables, String text) {
        ParsedQuery parsed = ParsedQuery.of(text);
        try {
            SqlNode checked = CheckedQuery.of(tables, parsed);
            QueryPlan plan = new QueryPlan(new TreeMap<>(QueryBlockBuilder.read(byName(tables), checked)));
            // Everything that cannot be written is refused before any actor is called.
            plan.blocks.keySet().forEach(number -> plan.split(new Stage(number, false), -1));
            return plan;
        } catch (StackOverflowError e) {
            throw SqlErrors.tooDeep(e);
        }
    }

    /** Returns a map with case-insensitive names, as in SQL. */
    static <T> Map<String, T> byName(Map<String, T> tables) {
        Map<String, T> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(tables);
        return Collections.unmodifiableMap(all);
    }

    /** True if the query reads one table, once. */
    boolean single() {
        return blocks.size() == 1 && block(QueryBlock.MAIN).rows().items().size() == 1;
    }

    /**
     * Sub-query that is a stage of its own.
     *
     * @param derived true if it is in FROM, false if it is in an expression
     */
    record Inner(SqlNode place, boolean derived) {}

    /** Returns the first sub-query of the text; empty if the query is one stage. */
    Optional<Inner> first() {
        return blocks.values().stream()
                // A key stage has the place of an expression, not of a query.
                .filter(queryBlock -> queryBlock.number() != QueryBlock.MAIN && SqlNodes.isQuery(queryBlock.place()))
                .min(Comparator.comparing(queryBlock -> queryBlock.place().getParserPosition(), PLACES))
                .map(queryBlock -> new Inner(
                        queryBlock.place(),
                        blocks.values().stream()
                                .flatMap(other -> other.rows().given().stream())
                                .anyMatch(item -> item.block() == queryBlock.number())));
    }

    /** Returns a stage. Fails with INVALID_ARGUMENT if there is none. */
    QueryBlock block(int number) {
        QueryBlock queryBlock = blocks.get(number);
        if (queryBlock == null) {
            throw UniserveException.invalid("the query has no stage " + number + "; it has stages " + blocks.keySet());
        }
        return queryBlock;
    }

    /** Returns a stage's statements. */
    FragmentedPlan split(Stage stage, int stays) {
        return split(stage, stays, List.of());
    }

    /** Returns a stage's statements for tables whose rows come as they were joined: see {@link StatementNames#PAIR}. */
    FragmentedPlan split(Stage stage, int stays, List<Integer> paired) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays)
                .paired(paired)
                .query();
    }

    /**
     * Returns the sub-query in the form that an actor checks for its own rows; duplicates are kept. Fails with INVALID_ARGUMENT if it does
     * not read exactly one table.
     */
    ColocatedSemiJoin checked(int number) {
        QueryBlock queryBlock = block(number);
        List<QueryBlock.Item> tables = queryBlock.rows().tables();
        if (number == QueryBlock.MAIN
                || tables.size() != 1
                || queryBlock.rows().items().size() != 1) {
            throw UniserveException.invalid("stage " + number + " of the query is not a sub-query of one table");
        }
        FragmentedPlan split = new Fragmenter(blocks, queryBlock.notDistinct(), new Stage(number, false), 0).query();
        return new ColocatedSemiJoin(
                number, tables.get(0), queryBlock.wanted().answers().size(), split.partial(), split.finish());
    }

    /** Returns column pairs that are equal in every row of a stage's join. */
    List<PredicatePushdown.Equality> equalities(Stage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).equalities();
    }

    /** Returns the tables of a stage that may be looked up after its groups. */
    List<DeferredLookupJoin> lookups(Stage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).candidates();
    }

    /** Returns column pairs that LEFT JOINs of a stage equate. The column of the preserved side comes first. */
    List<PredicatePushdown.Equality> partners(Stage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).partners();
    }
}
