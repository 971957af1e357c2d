package io.uniserve.sql;

import io.uniserve.api.extra.Columns;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.SqlQuery.Stage;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * A query as stages, each a SELECT over tables and over answers of other stages. The same text has the same stages
 * everywhere: actors are told the number of one. Immutable.
 */
final class QueryPlan {
    private static final Comparator<SqlParserPos> PLACES =
            Comparator.comparingInt(SqlParserPos::getLineNum).thenComparingInt(SqlParserPos::getColumnNum);

    private final Map<Integer, QueryBlock> blocks;

    private QueryPlan(Map<Integer, QueryBlock> blocks) {
        this.blocks = blocks;
    }

    /** Refuses, by line and column, what is wrong (INVALID_ARGUMENT) or not supported (UNSUPPORTED). */
    static QueryPlan of(Map<String, Columns> tables, String text) {
        ParsedQuery parsed = ParsedQuery.of(text);
        try {
            SqlNode checked = CheckedQuery.of(tables, parsed);
            QueryPlan plan = new QueryPlan(new TreeMap<>(QueryBlockBuilder.read(tables, checked)));
            // What cannot be written is refused before any actor is asked.
            plan.blocks.keySet().forEach(number -> plan.split(new Stage(number, false), -1));
            return plan;
        } catch (StackOverflowError e) {
            throw SqlErrors.tooDeep(e);
        }
    }

    /** True where one table is read, once. */
    boolean single() {
        return blocks.size() == 1 && block(QueryBlock.MAIN).rows().items().size() == 1;
    }

    /**
     * A query within the query that is a stage of its own.
     *
     * @param derived whether its answer stands in FROM, not in an expression
     */
    record Inner(SqlNode place, boolean derived) {}

    /** The first one of the text; empty where all is one stage. */
    Optional<Inner> first() {
        return blocks.values().stream()
                // That of the values for which a sub-query is wanted has the place of the expression.
                .filter(queryBlock -> queryBlock.number() != QueryBlock.MAIN && ParsedQuery.isQuery(queryBlock.place()))
                .min(Comparator.comparing(queryBlock -> queryBlock.place().getParserPosition(), PLACES))
                .map(queryBlock -> new Inner(
                        queryBlock.place(),
                        blocks.values().stream()
                                .flatMap(other -> other.rows().given().stream())
                                .anyMatch(item -> item.block() == queryBlock.number())));
    }

    /** INVALID_ARGUMENT where there is no such stage. */
    QueryBlock block(int number) {
        QueryBlock queryBlock = blocks.get(number);
        if (queryBlock == null) {
            throw UniserveException.invalid("the query has no stage " + number + ", it has " + blocks.keySet());
        }
        return queryBlock;
    }

    /** A stage's statements. */
    FragmentedPlan split(Stage stage, int stays) {
        return split(stage, stays, List.of());
    }

    /** The same where the rows of some tables come as they were joined: see {@link ShuffleQuery#PAIR}. */
    FragmentedPlan split(Stage stage, int stays, List<Integer> paired) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays)
                .paired(paired)
                .query();
    }

    /**
     * What a sub-query answers of one actor's rows, each as often as it comes: for conditions that are evaluated there.
     * INVALID_ARGUMENT where it is not of one table.
     */
    ColocatedSemiJoin checked(int number) {
        QueryBlock queryBlock = block(number);
        List<QueryBlock.Item> tables = queryBlock.rows().tables();
        if (number == QueryBlock.MAIN
                || tables.size() != 1
                || queryBlock.rows().items().size() != 1) {
            throw UniserveException.invalid("stage " + number + " of the query is no sub-query of one table");
        }
        FragmentedPlan split = new Fragmenter(blocks, queryBlock.notDistinct(), new Stage(number, false), 0).query();
        return new ColocatedSemiJoin(
                number, tables.get(0), queryBlock.wanted().answers().size(), split.partial(), split.finish());
    }

    /** Columns of two tables that are equal in every row of the join of a stage. */
    List<PredicatePushdown.Equality> equalities(Stage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).equalities();
    }

    /** Tables of a stage that may come after its groups. */
    List<DeferredLookupJoin> lookups(Stage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).candidates();
    }

    /** Columns that LEFT JOINs of a stage want to be equal, that of the side whose rows all count first. */
    List<PredicatePushdown.Equality> partners(Stage stage, int stays) {
        return new Fragmenter(blocks, block(stage.number()), stage, stays).partners();
    }
}
