package io.uniserve.sql;

import io.uniserve.api.extra.Columns;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A query as statements of the engine's: one that every actor of a table runs over its rows, and one over all their answers.
 * What the second makes of the first is what the query means over all rows in one place: counts and sums are added, an
 * average is a sum divided by a count, HAVING and ORDER BY come last.
 *
 * <p>Of several tables one stays where it is, and its actors join their rows with all that the others have: what each of
 * these sends is a statement of its own, a side.
 *
 * @param partial over {@value #ROWS} of the table that stays, and over the sides; with columns c0, c1, ...
 * @param top what an actor answers that has all rows of its groups, in place of the partial answer: fewer groups
 * @param finish over {@value #PARTS}, a table of these columns
 * @param names of the answer's columns
 * @param stays the table that stays, by its place in FROM; {@link #NOWHERE} where all rows must come to one place
 * @param sides of all tables, by their places in FROM; that of the table that stays is only to be counted
 * @param whole true where the answer is of all rows of one table, or of their groups
 * @param each true where, besides, every row of an actor's part is a row of the answer, alone or with those of other actors
 * @param late columns that are fetched last; what {@code finish} answers has one column more for each of these tables
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
    /** No table can stay in its place: the join would make rows of NULLs at each of its actors. */
    public static final int NOWHERE = -1;

    /** The name of a sub-query's answer where a statement reads it alone. */
    static final String GIVEN = "g";

    /** The name of an actor's table. */
    public static final String ROWS = "rows";

    /** The name of the table that holds the actors' answers. */
    public static final String PARTS = "parts";

    public FragmentedPlan {
        names = List.copyOf(names);
        sides = List.copyOf(sides);
        late = List.copyOf(late);
    }

    /** The partial answer of a sub-query: one actor's rows more than all may send are enough to know that they are too many. */
    String part() {
        return each
                ? "SELECT * FROM (" + partial + ") AS " + PARTS + " LIMIT " + (BroadcastSize.wholeRowsMax() + 1)
                : partial;
    }

    /**
     * The groups of an actor that may be in the answer, of a query with HAVING or LIMIT.
     *
     * @param statement with the columns of the partial answer
     * @param columns of the table that stays, by their names, that have one value in each group: where the table's key is
     *     among them, no other actor has rows of the group
     */
    record Top(String statement, Set<String> columns) {
        public Top {
            columns = Set.copyOf(columns);
        }
    }

    /**
     * Columns of one table that only show in the answer.
     *
     * @param item the table, by its place in FROM
     * @param key where what {@code finish} answers has the table's key
     * @param own where the table's side has its key
     * @param answers the places of the columns in the answer
     * @param statement over the table's rows with the keys of its own side: first the columns that its side has too, then these
     */
    record Late(int item, int key, int own, List<Integer> answers, String statement) {
        public Late {
            answers = List.copyOf(answers);
        }
    }

    /** The late columns of a table; INVALID_ARGUMENT where it has none. */
    Late late(int item) {
        return late.stream()
                .filter(one -> one.item() == item)
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("table " + item + " of FROM has no late columns"));
    }

    /**
     * What a table sends to the actors of the one that stays.
     *
     * @param alias the table's name in the query
     * @param table its own
     * @param columns what is wanted of it, with names c0, c1, ...
     * @param conditions on its own rows
     * @param reductions by sides that were gathered before
     * @param present columns without whose values a row has no partner in the table that stays
     * @param mayStay false where the join makes rows of NULLs for those that match nothing here
     * @param constants values that the conditions allow for columns, by their names
     * @param intervals whole numbers between which the conditions have columns, by their names
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

        /** How many of its rows are wanted at most. */
        String count() {
            return "SELECT count(*) AS c0 FROM " + ROWS + where(conditions);
        }

        /** Its rows that may be in the join, once these sides are known. */
        String statement(Set<Integer> known) {
            List<String> all = new ArrayList<>(conditions);
            reductions.stream().filter(one -> known.contains(one.side())).forEach(one -> all.add(one.condition()));
            present.forEach(one -> all.add("\"" + one + "\" IS NOT NULL"));
            // One actor's rows more than all may send are enough to know that they are too many.
            int most = filtered(known) ? BroadcastSize.rowsMax() : BroadcastSize.wholeRowsMax();
            return "SELECT " + named() + " FROM " + ROWS + where(all) + " LIMIT " + (most + 1);
        }

        /** The same of all rows that its conditions leave, where the statement runs that joins them. */
        String beside(String place) {
            return "SELECT " + named() + " FROM " + place + " AS " + ROWS + where(conditions);
        }

        private String named() {
            List<String> named = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                named.add("\"" + columns.get(i) + "\" AS c" + i);
            }
            return named.isEmpty() ? "1 AS c0" : String.join(", ", named);
        }

        /** True where not all of its rows are sent. */
        boolean filtered(Set<Integer> known) {
            return !conditions.isEmpty() || reductions.stream().anyMatch(one -> known.contains(one.side()));
        }
    }

    /**
     * A condition that a row's join partner is in another side.
     *
     * @param own the column that is compared, by its place in what the table sends
     * @param other that of the other side
     */
    public record Reduction(int side, String condition, int own, int other) {}

    /** The name by which statements know the rows of a side. */
    static String side(int item) {
        return "b" + item;
    }

    /** The name by which statements know the answer of a stage. */
    static String given(int block) {
        return "q" + block;
    }

    /** Whether a statement reads the answer of a stage; at times true where a text of the user's only looks so. */
    static boolean reads(String statement, int block) {
        return statement.contains(given(block) + " AS ");
    }

    /** WHERE with all of these, or nothing. */
    static String where(List<String> conditions) {
        return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    }

    /**
     * Refuses, by line and column, what is wrong (INVALID_ARGUMENT) or not supported (UNSUPPORTED). The split of the query itself;
     * its sub-queries are stages of their own.
     *
     * @param tables all that the text names, by their names there
     * @param stays the table that stays, by its place in FROM; less than 0 for the first one that can
     */
    static FragmentedPlan of(Map<String, Columns> tables, String text, int stays) {
        return QueryPlan.of(tables, text).split(new SqlQuery.Stage(QueryBlock.MAIN, false), stays);
    }

    /** The statement of the table at this place; INVALID_ARGUMENT where there is none. */
    Side side(String what, int item) {
        if (item < 0 || item >= sides.size()) {
            throw UniserveException.invalid(what + " is " + item + ", and the query has " + sides.size() + " tables");
        }
        return sides.get(item);
    }
}
