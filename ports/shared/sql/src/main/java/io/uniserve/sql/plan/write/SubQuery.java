package io.uniserve.sql.plan.write;

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
 * @param outerScope the scope of the outer query
 * @param kind the kind of its value
 * @param left the left operand of IN; null otherwise
 * @param block the stage of its answer
 * @param equalities columns of the answer that equal expressions of the outer query
 * @param conditions conditions with columns of both
 * @param columns columns of the answer, by nodes of {@code others}
 * @param valueIfEmpty the value of a scalar one without rows; "" for NULL
 * @param keyStage the stage that collects the values of the expressions in {@code equal}; negative for none
 */
public record SubQuery(
        SqlNode place,
        QueryScope outerScope,
        Kind kind,
        @Nullable SqlNode left,
        int block,
        List<Equality> equalities,
        List<Condition> conditions,
        Map<SqlNode, Integer> columns,
        String valueIfEmpty,
        int keyStage) {

    /** Kind of a sub-query's value. */
    public enum Kind {
        EXISTS,
        IN,
        NOT_IN,
        SCALAR
    }

    /** Column of the answer that must equal this expression. */
    public record Equality(int column, SqlNode outerExpression) {}

    /** Condition, and its names that belong to the outer query. */
    public record Condition(SqlNode condition, List<SqlIdentifier> outerNames) {}

    public SubQuery {
        equalities = List.copyOf(equalities);
        conditions = List.copyOf(conditions);
    }

    /** True if its value depends on the row of the outer query. */
    public boolean isCorrelated() {
        return !equalities.isEmpty() || !conditions.isEmpty();
    }

    /** Returns the expressions of the outer query on which its value depends. */
    public List<SqlNode> outerExpressions() {
        List<SqlNode> all = new ArrayList<>();
        if (left != null) {
            all.add(left);
        }
        equalities.forEach(one -> all.add(one.outerExpression()));
        conditions.forEach(one -> all.addAll(one.outerNames()));
        return all;
    }
}
