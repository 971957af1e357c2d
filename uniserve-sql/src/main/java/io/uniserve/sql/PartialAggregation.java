package io.uniserve.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/**
 * The columns of what an actor answers: first those that the query groups by, then whatever is asked for, each once. An actor
 * answers a row per group, or, for aggregates that need all values of a group in one place, one per row of its own.
 */
final class PartialAggregation {
    private final boolean ungrouped;
    private final List<String> least = new ArrayList<>();
    private final List<String> expressions = new ArrayList<>();
    private final TreeSet<Integer> keys = new TreeSet<>();
    private int groups;

    /** None yet. With {@code ungrouped} actors answer all their rows, and the groups are made of these. */
    PartialAggregation(boolean ungrouped) {
        this.ungrouped = ungrouped;
    }

    boolean ungrouped() {
        return ungrouped;
    }

    /** Before all else. */
    void groups(List<SqlNode> nodes, ColumnWriter rows) {
        for (SqlNode node : nodes) {
            if (node.getKind() == SqlKind.ROLLUP
                    || node.getKind() == SqlKind.CUBE
                    || node.getKind() == SqlKind.GROUPING_SETS
                    || node.getKind() == SqlKind.ROW
                    || node instanceof SqlNodeList) {
                throw SqlErrors.unsupported(node, "GROUP BY with sets of columns is");
            }
            column(rows.write(node));
        }
        groups = expressions.size();
        IntStream.range(0, groups).forEach(keys::add);
    }

    int groups() {
        return groups;
    }

    List<String> groupColumns() {
        return IntStream.range(0, groups).mapToObj(i -> "c" + i).toList();
    }

    /** The numbers of the columns that actors group by: those of the query, and values of which only distinct ones count. */
    List<String> groupNumbers() {
        return ungrouped
                ? List.of()
                : keys.stream().map(i -> String.valueOf(i + 1)).toList();
    }

    /** The name of the column with this expression, which is added where there is none. */
    String column(String expression) {
        int index = expressions.indexOf(expression);
        if (index < 0) {
            expressions.add(expression);
            index = expressions.size() - 1;
        }
        return "c" + index;
    }

    /** The same, of an expression that actors are to group by. */
    String key(String expression) {
        String column = column(expression);
        keys.add(expressions.indexOf(expression));
        return column;
    }

    /** The name, beside the columns, of the least value that a column has in its group. */
    String least(String column) {
        if (!least.contains(column)) {
            least.add(column);
        }
        return "w" + least.indexOf(column);
    }

    /** What the answers are merged from: these, with what their merge needs beside them. */
    String merged(String answers) {
        if (least.isEmpty()) {
            return answers;
        }
        String over = groups == 0 ? "" : "PARTITION BY " + String.join(", ", groupColumns());
        String beside = IntStream.range(0, least.size())
                .mapToObj(i -> ", min(" + least.get(i) + ") OVER (" + over + ") AS w" + i)
                .collect(Collectors.joining());
        return "(SELECT *" + beside + " FROM " + answers + ") AS " + FragmentedPlan.PARTS;
    }

    /** True where an actor answers with one row for each of the query's groups. */
    boolean onePerGroup() {
        return !ungrouped && keys.size() == groups;
    }

    /** All columns of rows that are one for each group, once more: as they are, of their groups. */
    List<String> again() {
        return IntStream.range(0, expressions.size())
                .mapToObj(i -> i < groups ? "c" + i : "max(c" + i + ") AS c" + i)
                .toList();
    }

    /** The names of all columns. */
    List<String> names() {
        return IntStream.range(0, expressions.size()).mapToObj(i -> "c" + i).toList();
    }

    /** The name of the column that is grouped by this expression, or none. */
    Optional<String> group(String expression) {
        int index = expressions.subList(0, groups).indexOf(expression);
        return index < 0 ? Optional.empty() : Optional.of("c" + index);
    }

    /** The list of a SELECT. A query may want nothing but constants of each row. */
    String columns() {
        if (expressions.isEmpty()) {
            return "1 AS c0";
        }
        return String.join(
                ", ",
                IntStream.range(0, expressions.size())
                        .mapToObj(i -> expressions.get(i) + " AS c" + i)
                        .toList());
    }
}
