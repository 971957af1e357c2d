package io.uniserve.sql.plan.write;

import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.rows.SqlErrorFactory;
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
 * Columns of an actor's partial answer, without duplicates: first those of GROUP BY, then all others that the merge needs. An actor returns
 * one row per group, or one per row of its own for holistic aggregates.
 */
public final class PartialAggregation {
    private final boolean ungrouped;
    private final List<String> minimums = new ArrayList<>();
    private final List<String> expressions = new ArrayList<>();
    private final TreeSet<Integer> keys = new TreeSet<>();
    private int groups;

    /** Starts without columns. With {@code ungrouped} actors return all their rows, and the merge makes the groups. */
    public PartialAggregation(boolean ungrouped) {
        this.ungrouped = ungrouped;
    }

    boolean isUngrouped() {
        return ungrouped;
    }

    /** Adds the columns of GROUP BY. Must be called first. */
    public void addGroups(List<SqlNode> nodes, ColumnWriter rows) {
        for (SqlNode node : nodes) {
            if (node.getKind() == SqlKind.ROLLUP
                    || node.getKind() == SqlKind.CUBE
                    || node.getKind() == SqlKind.GROUPING_SETS
                    || node.getKind() == SqlKind.ROW
                    || node instanceof SqlNodeList) {
                throw SqlErrorFactory.unsupported(node, "GROUP BY with sets of columns is");
            }
            column(rows.write(node));
        }
        groups = expressions.size();
        IntStream.range(0, groups).forEach(keys::add);
    }

    public int groupCount() {
        return groups;
    }

    public List<String> groupColumns() {
        return IntStream.range(0, groups).mapToObj(i -> "c" + i).toList();
    }

    /** Returns the positions of the columns that actors group by: those of the query, and those of DISTINCT aggregates. */
    public List<String> groupNumbers() {
        return ungrouped
                ? List.of()
                : keys.stream().map(i -> String.valueOf(i + 1)).toList();
    }

    /** Returns the name of the column with this expression, and adds it if it is new. */
    String column(String expression) {
        int index = expressions.indexOf(expression);
        if (index < 0) {
            expressions.add(expression);
            index = expressions.size() - 1;
        }
        return "c" + index;
    }

    /** Returns the name of the column with this expression, which actors group by as well. */
    String key(String expression) {
        String column = column(expression);
        keys.add(expressions.indexOf(expression));
        return column;
    }

    /** Returns the name, in the merge, of a column's least value within its group. */
    String minimumOf(String column) {
        if (!minimums.contains(column)) {
            minimums.add(column);
        }
        return "w" + minimums.indexOf(column);
    }

    /** Returns the relation that is merged: the answers, with window columns that the merge needs. */
    public String mergeSource(String answers) {
        if (minimums.isEmpty()) {
            return answers;
        }
        String over = groups == 0 ? "" : "PARTITION BY " + String.join(", ", groupColumns());
        String beside = IntStream.range(0, minimums.size())
                .mapToObj(i -> ", min(" + minimums.get(i) + ") OVER (" + over + ") AS w" + i)
                .collect(Collectors.joining());
        return "(SELECT *" + beside + " FROM " + answers + ") AS " + StatementNaming.PARTS;
    }

    /** True if an actor returns one row per group of the query. */
    public boolean isOneRowPerGroup() {
        return !ungrouped && keys.size() == groups;
    }

    /** Returns all columns for a second aggregation over rows that are one per group. */
    public List<String> groupedColumns() {
        return IntStream.range(0, expressions.size())
                .mapToObj(i -> i < groups ? "c" + i : "max(c" + i + ") AS c" + i)
                .toList();
    }

    /** Returns the names of all columns. */
    public List<String> names() {
        return IntStream.range(0, expressions.size()).mapToObj(i -> "c" + i).toList();
    }

    /** Returns the name of the column of GROUP BY with this expression, if there is one. */
    public Optional<String> group(String expression) {
        int index = expressions.subList(0, groups).indexOf(expression);
        return index < 0 ? Optional.empty() : Optional.of("c" + index);
    }

    /** Returns the SELECT list. It is a constant if the query needs no column. */
    public String columns() {
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
