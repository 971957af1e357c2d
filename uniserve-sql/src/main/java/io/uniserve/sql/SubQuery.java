package io.uniserve.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/**
 * Sub-query in an expression. Its answer is available as rows before the expression is evaluated. A correlated one has the columns on which
 * it depends in its answer, and the engine selects by them.
 *
 * @param place the node in the query's text
 * @param names the scope of the outer query
 * @param how the kind of its value
 * @param left the left operand of IN; null otherwise
 * @param block the stage of its answer
 * @param equal columns of the answer that equal expressions of the outer query
 * @param others conditions with columns of both
 * @param columns columns of the answer, by nodes of {@code others}
 * @param empty the value of a scalar one without rows; "" for NULL
 * @param keys the stage that collects the values of the expressions in {@code equal}; negative for none
 */
record SubQuery(
        SqlNode place,
        QueryScope names,
        How how,
        @Nullable SqlNode left,
        int block,
        List<Equal> equal,
        List<Other> others,
        Map<SqlNode, Integer> columns,
        String empty,
        int keys) {

    /** Kind of a sub-query's value. */
    enum How {
        EXISTS,
        IN,
        NOT_IN,
        SCALAR
    }

    /** Column of the answer that must equal this expression. */
    record Equal(int column, SqlNode outside) {}

    /** Condition, and its names that belong to the outer query. */
    record Other(SqlNode condition, List<SqlIdentifier> outside) {}

    SubQuery {
        equal = List.copyOf(equal);
        others = List.copyOf(others);
    }

    /** True if its value depends on the row of the outer query. */
    boolean correlated() {
        return !equal.isEmpty() || !others.isEmpty();
    }

    /** Returns the expressions of the outer query on which its value depends. */
    List<SqlNode> outside() {
        List<SqlNode> all = new ArrayList<>();
        if (left != null) {
            all.add(left);
        }
        equal.forEach(one -> all.add(one.outside()));
        others.forEach(one -> all.addAll(one.outside()));
        return all;
    }
}
