package io.uniserve.sql;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A sub-query of one table that every actor answers of its own rows, or of those beside it, while it evaluates the condition
 * that the sub-query stands in.
 *
 * @param number of its stage
 * @param table that it reads
 * @param columns how many its answer has
 * @param partial over {@value FragmentedPlan#ROWS}
 * @param finish over {@value FragmentedPlan#PARTS}, which are all of one actor
 */
record ColocatedSemiJoin(int number, QueryBlock.Item table, int columns, String partial, String finish) {
    /** The name of its answer with those of its columns, for a WITH: what the statement makes of them may have any. */
    String name() {
        return FragmentedPlan.given(number)
                + IntStream.range(0, columns).mapToObj(i -> "c" + i).collect(Collectors.joining(", ", "(", ")"));
    }

    /** Over the rows of the actor that is asked. */
    String statement() {
        return "WITH " + parts();
    }

    /** The same over those of another table: how the engine names it, for a FROM. */
    String statement(String place) {
        return "WITH " + FragmentedPlan.ROWS + " AS NOT MATERIALIZED (SELECT * FROM " + place + "), " + parts();
    }

    private String parts() {
        return FragmentedPlan.PARTS + " AS NOT MATERIALIZED (" + partial + ") " + finish;
    }
}
