package io.uniserve.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/** The columns of what an actor answers: first those it groups by, then whatever is asked for, each once. */
final class Partials {
    private final ColumnWriter rows;
    private final List<String> expressions = new ArrayList<>();
    private int groups;

    Partials(ColumnWriter rows) {
        this.rows = rows;
    }

    /** Before all else. */
    void groups(List<SqlNode> nodes) {
        for (SqlNode node : nodes) {
            if (node.getKind() == SqlKind.ROLLUP
                    || node.getKind() == SqlKind.CUBE
                    || node.getKind() == SqlKind.GROUPING_SETS
                    || node.getKind() == SqlKind.ROW
                    || node instanceof org.apache.calcite.sql.SqlNodeList) {
                throw SqlErrors.unsupported(node, "GROUP BY with sets of columns is");
            }
            column(rows.write(node));
        }
        groups = expressions.size();
    }

    int groups() {
        return groups;
    }

    List<String> groupColumns() {
        return IntStream.range(0, groups).mapToObj(i -> "c" + i).toList();
    }

    List<String> groupNumbers() {
        return IntStream.rangeClosed(1, groups).mapToObj(String::valueOf).toList();
    }

    ColumnWriter rows() {
        return rows;
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

    /** The name of the column that is grouped by this expression, or none. */
    java.util.Optional<String> group(String expression) {
        int index = expressions.subList(0, groups).indexOf(expression);
        return index < 0 ? java.util.Optional.empty() : java.util.Optional.of("c" + index);
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
