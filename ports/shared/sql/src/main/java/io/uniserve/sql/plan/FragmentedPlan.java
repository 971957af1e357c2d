package io.uniserve.sql.plan;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.write.SqlWriter;
import io.uniserve.sql.rows.BroadcastSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Distributed plan of a query in two statements of the engine: every actor of a table runs the first over its rows, and the second merges
 * their answers. The result is the same as that of the query over all rows in one place. The merge adds counts and sums, divides sums by
 * counts for averages, and applies HAVING and ORDER BY last.
 *
 * <p>In a join one table, the stationary one, stays in place. Its actors join their rows with the rows that the other tables send. Each of
 * the other tables has its own statement, called a side.
 *
 * @param partialStatement the statement over {@value StatementNaming#ROWS} of the stationary table and over the sides; its columns are c0, c1, ...
 * @param top the alternative to {@code partial} for an actor that has all rows of its groups: it returns fewer groups
 * @param mergeStatement the statement over {@value StatementNaming#PARTS}, a table of these columns
 * @param names the names of the answer's columns
 * @param stationaryItem the stationary table, by its place in FROM; {@link #NO_STATIONARY_ITEM} if all rows must be sent to one place
 * @param sides all tables, by their places in FROM; the side of the stationary table is used for counting only
 * @param coversAllRows true if the answer is over all rows of one table, or over their groups
 * @param keepsEachRow true if, in addition, every row of an actor's part contributes to a row of the answer
 * @param lateColumns columns that are fetched last; the answer of {@code finish} has one more column per such table
 */
public record FragmentedPlan(
        String partialStatement,
        Optional<Top> top,
        String mergeStatement,
        List<String> names,
        int stationaryItem,
        List<Side> sides,
        boolean coversAllRows,
        boolean keepsEachRow,
        List<LateColumns> lateColumns) {
    /** Value of {@code stays} if no table can stay in place, because each of its actors would add rows of NULLs. */
    public static final int NO_STATIONARY_ITEM = -1;

    public FragmentedPlan {
        names = List.copyOf(names);
        sides = List.copyOf(sides);
        lateColumns = List.copyOf(lateColumns);
    }

    /** Returns the partial statement of a sub-query. One row above the limit from one actor is enough to detect that there are too many. */
    String limitedPartialStatement() {
        return keepsEachRow
                ? "SELECT * FROM (" + partialStatement + ") AS " + StatementNaming.PARTS + " LIMIT "
                        + (BroadcastSize.wholeRowsMax() + 1)
                : partialStatement;
    }

    /**
     * Statement for those groups of an actor that can be in the answer of a query with HAVING or LIMIT.
     *
     * @param statement with the columns of the partial answer
     * @param columns columns of the stationary table that have one value per group. If the table's key is among them, no other actor has
     *     rows of the group
     */
    public record Top(String statement, Set<String> columns) {
        public Top {
            columns = Set.copyOf(columns);
        }
    }

    /**
     * Late-materialized columns of one table: the query only shows them.
     *
     * @param item the table, by its place in FROM
     * @param key the column of the {@code finish} answer that has the table's key
     * @param keyInSide the column of the table's side that has its key
     * @param answers the columns of the answer that are filled
     * @param statement over the table's rows with the keys of its own side: first the side's columns, then the late ones
     */
    public record LateColumns(int item, int key, int keyInSide, List<Integer> answers, String statement) {
        public LateColumns {
            answers = List.copyOf(answers);
        }
    }

    /** Returns the late columns of a table. Fails with INVALID_ARGUMENT if it has none. */
    public LateColumns late(int item) {
        return lateColumns.stream()
                .filter(one -> one.item() == item)
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("table " + item + " of FROM has no late columns"));
    }

    /**
     * Rows that a table sends to the actors of the stationary one.
     *
     * @param alias the table's name in the query
     * @param table the table's own name
     * @param columns the wanted columns, which are named c0, c1, ...
     * @param conditions on its own rows
     * @param reductions semi-joins with sides that were collected before
     * @param notNullColumns columns that must not be NULL for a row to have a partner in the stationary table
     * @param mayBeStationary false if the join adds rows of NULLs where no row of this table matches
     * @param constants values that the conditions allow, by column
     * @param ranges ranges of whole numbers that the conditions allow, by column
     */
    public record Side(
            String alias,
            String table,
            List<String> columns,
            List<String> conditions,
            List<Reduction> reductions,
            List<String> notNullColumns,
            boolean mayBeStationary,
            Map<String, List<String>> constants,
            Map<String, ColumnRange> ranges) {
        public Side {
            columns = List.copyOf(columns);
            conditions = List.copyOf(conditions);
            reductions = List.copyOf(reductions);
            notNullColumns = List.copyOf(notNullColumns);
            constants = Map.copyOf(constants);
            ranges = Map.copyOf(ranges);
        }

        /** Returns the statement that counts the rows that its conditions leave, an upper bound of those that are sent. */
        public String countStatement() {
            return "SELECT count(*) AS c0 FROM " + StatementNaming.ROWS + SqlWriter.where(conditions);
        }

        /** Returns the statement for rows that can be in the join, given the collected sides. */
        public String statement(Set<Integer> known) {
            List<String> all = new ArrayList<>(conditions);
            reductions.stream().filter(one -> known.contains(one.side())).forEach(one -> all.add(one.condition()));
            notNullColumns.forEach(one -> all.add("\"" + one + "\" IS NOT NULL"));
            // One row above the limit from one actor is enough to detect that there are too many.
            int most = isFiltered(known) ? BroadcastSize.rowsMax() : BroadcastSize.wholeRowsMax();
            return "SELECT " + named() + " FROM " + StatementNaming.ROWS + SqlWriter.where(all) + " LIMIT "
                    + (most + 1);
        }

        /** Returns the statement for all rows that its conditions leave, for a co-located join. */
        public String colocatedStatement(String place) {
            return "SELECT " + named() + " FROM " + place + " AS " + StatementNaming.ROWS + SqlWriter.where(conditions);
        }

        private String named() {
            List<String> named = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                named.add("\"" + columns.get(i) + "\" AS c" + i);
            }
            return named.isEmpty() ? "1 AS c0" : String.join(", ", named);
        }

        /** True if conditions or collected sides reduce the rows that are sent. */
        public boolean isFiltered(Set<Integer> known) {
            return !conditions.isEmpty() || reductions.stream().anyMatch(one -> known.contains(one.side()));
        }
    }

    /**
     * Semi-join condition: a row must have a join partner in another side.
     *
     * @param ownColumn the compared column, as an index of the columns that the table sends
     * @param otherColumn the compared column of the other side
     */
    public record Reduction(int side, String condition, int ownColumn, int otherColumn) {}

    /** Returns the side at this place. Fails with INVALID_ARGUMENT if there is none. */
    public Side side(String what, int item) {
        if (item < 0 || item >= sides.size()) {
            throw UniserveException.invalid(what + " is " + item + ", and the query has " + sides.size() + " tables");
        }
        return sides.get(item);
    }
}
