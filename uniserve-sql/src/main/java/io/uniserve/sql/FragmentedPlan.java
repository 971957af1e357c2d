package io.uniserve.sql;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Distributed plan of a query in two statements of the engine: every actor of a table runs the first over its rows, and the second merges
 * their answers. The result is that of the query over all rows in one place. Counts and sums are added, an average is a sum divided by a
 * count, HAVING and ORDER BY come last.
 *
 * <p>In a join one table, the stationary one, stays in place. Its actors join their rows with the rows that the other tables send. Each of
 * these has a statement of its own, a side.
 *
 * @param partial the statement over {@value StatementNames#ROWS} of the stationary table and over the sides; its columns are c0, c1, ...
 * @param top the alternative to {@code partial} for an actor that has all rows of its groups: it returns fewer groups
 * @param finish the statement over {@value StatementNames#PARTS}, a table of these columns
 * @param names the names of the answer's columns
 * @param stays the stationary table, by its place in FROM; {@link #NOWHERE} if all rows must be sent to one place
 * @param sides all tables, by their places in FROM; the side of the stationary table is used for counting only
 * @param whole true if the answer is over all rows of one table, or over their groups
 * @param each true if, in addition, every row of an actor's part contributes to a row of the answer
 * @param late columns that are fetched last; the answer of {@code finish} has one more column per such table
 */
public record FragmentedPlan(
        String partial,
        Optional<Top> top,
        String finish,
        List<String> names,
        int stays,
        List<Side> sides,
        boolean whole,
        boolean each,
        List<Late> late) {
    /** Value of {@code stays} if no table can stay in place, because each of its actors would add rows of NULLs. */
    public static final int NOWHERE = -1;

    public FragmentedPlan {
        names = List.copyOf(names);
        sides = List.copyOf(sides);
        late = List.copyOf(late);
    }

    /** Returns the partial statement of a sub-query. One row above the limit from one actor is enough to detect that there are too many. */
    String part() {
        return each
                ? "SELECT * FROM (" + partial + ") AS " + StatementNames.PARTS + " LIMIT "
                        + (BroadcastSize.wholeRowsMax() + 1)
                : partial;
    }

    /**
     * Statement for those groups of an actor that can be in the answer of a query with HAVING or LIMIT.
     *
     * @param statement with the columns of the partial answer
     * @param columns columns of the stationary table that have one value per group. If the table's key is among them, no other actor has
     *     rows of the group
     */
    record Top(String statement, Set<String> columns) {
        public Top {
            columns = Set.copyOf(columns);
        }
    }

    /**
     * Late-materialized columns of one table: the query only shows them.
     *
     * @param item the table, by its place in FROM
     * @param key the column of the {@code finish} answer that has the table's key
     * @param own the column of the table's side that has its key
     * @param answers the columns of the answer that are filled
     * @param statement over the table's rows with the keys of its own side: first the side's columns, then the late ones
     */
    record Late(int item, int key, int own, List<Integer> answers, String statement) {
        public Late {
            answers = List.copyOf(answers);
        }
    }

    /** Returns the late columns of a table. Fails with INVALID_ARGUMENT if it has none. */
    Late late(int item) {
        return late.stream()
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
     * @param present columns that must not be NULL for a row to have a partner in the stationary table
     * @param mayStay false if the join adds rows of NULLs where no row of this table matches
     * @param constants values that the conditions allow, by column
     * @param intervals ranges of whole numbers that the conditions allow, by column
     */
    public record Side(
            String alias,
            String table,
            List<String> columns,
            List<String> conditions,
            List<Reduction> reductions,
            List<String> present,
            boolean mayStay,
            Map<String, List<String>> constants,
            Map<String, ColumnRange> intervals) {
        public Side {
            columns = List.copyOf(columns);
            conditions = List.copyOf(conditions);
            reductions = List.copyOf(reductions);
            present = List.copyOf(present);
            constants = Map.copyOf(constants);
            intervals = Map.copyOf(intervals);
        }

        /** Returns the statement that counts the rows that its conditions leave, an upper bound of those that are sent. */
        String count() {
            return "SELECT count(*) AS c0 FROM " + StatementNames.ROWS + SqlWriter.where(conditions);
        }

        /** Returns the statement for rows that can be in the join, given the collected sides. */
        String statement(Set<Integer> known) {
            List<String> all = new ArrayList<>(conditions);
            reductions.stream().filter(one -> known.contains(one.side())).forEach(one -> all.add(one.condition()));
            present.forEach(one -> all.add("\"" + one + "\" IS NOT NULL"));
            // One row above the limit from one actor is enough to detect that there are too many.
            int most = filtered(known) ? BroadcastSize.rowsMax() : BroadcastSize.wholeRowsMax();
            return "SELECT " + named() + " FROM " + StatementNames.ROWS + SqlWriter.where(all) + " LIMIT " + (most + 1);
        }

        /** Returns the statement for all rows that its conditions leave, for a co-located join. */
        String beside(String place) {
            return "SELECT " + named() + " FROM " + place + " AS " + StatementNames.ROWS + SqlWriter.where(conditions);
        }

        private String named() {
            List<String> named = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                named.add("\"" + columns.get(i) + "\" AS c" + i);
            }
            return named.isEmpty() ? "1 AS c0" : String.join(", ", named);
        }

        /** True if conditions or collected sides reduce the rows that are sent. */
        boolean filtered(Set<Integer> known) {
            return !conditions.isEmpty() || reductions.stream().anyMatch(one -> known.contains(one.side()));
        }
    }

    /**
     * Semi-join condition: a row must have a join partner in another side.
     *
     * @param own the compared column, as an index of the columns that the table sends
     * @param other the compared column of the other side
     */
    public record Reduction(int side, String condition, int own, int other) {}

    /** Returns the side at this place. Fails with INVALID_ARGUMENT if there is none. */
    Side side(String what, int item) {
        if (item < 0 || item >= sides.size()) {
            throw UniserveException.invalid(what + " is " + item + ", and the query has " + sides.size() + " tables");
        }
        return sides.get(item);
    }
}
