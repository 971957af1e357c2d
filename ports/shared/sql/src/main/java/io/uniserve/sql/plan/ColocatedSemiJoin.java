package io.uniserve.sql.plan;

import io.uniserve.sql.engine.StatementNaming;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sub-query of one table that every actor answers from its own rows or from those of a co-located actor. The actor evaluates it with the
 * condition that contains it.
 *
 * @param number the number of its stage
 * @param table the table that it reads
 * @param columns the number of columns of its answer
 * @param partialStatement the statement over {@value StatementNaming#ROWS}
 * @param mergeStatement the statement over {@value StatementNaming#PARTS}, which has the rows of one actor
 */
public record ColocatedSemiJoin(
        int number, QueryBlock.Item table, int columns, String partialStatement, String mergeStatement) {
    /** Returns the answer's name and column names, for WITH. The statement's own column names do not matter. */
    String name() {
        return StatementNaming.given(number)
                + IntStream.range(0, columns).mapToObj(i -> "c" + i).collect(Collectors.joining(", ", "(", ")"));
    }

    /** Returns the statement over the rows of the called actor. */
    public String statement() {
        return "WITH " + parts();
    }

    /** Returns the statement over the rows of another table, given the engine's name for FROM. */
    public String statement(String place) {
        return "WITH " + StatementNaming.ROWS + " AS NOT MATERIALIZED (SELECT * FROM " + place + "), " + parts();
    }

    private String parts() {
        return StatementNaming.PARTS + " AS NOT MATERIALIZED (" + partialStatement + ") " + mergeStatement;
    }
}
