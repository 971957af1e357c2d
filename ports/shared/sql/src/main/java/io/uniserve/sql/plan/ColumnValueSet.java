package io.uniserve.sql.plan;

import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.NlsString;

/**
 * Condition that a column has one of these values.
 *
 * @param values whole numbers or texts, as written in the query
 */
record ColumnValueSet(String column, List<String> values) {
    /** Returns the set of a condition; empty if it is not a comparison of this kind. */
    static Optional<ColumnValueSet> of(ScopedExpression condition) {
        if (!(condition.node() instanceof SqlCall call) || call.operandCount() != 2) {
            return Optional.empty();
        }
        SqlNode left = call.operand(0);
        SqlNode right = call.operand(1);
        if (call.getKind() == SqlKind.EQUALS) {
            return of(condition, left, List.of(right)).or(() -> of(condition, right, List.of(left)));
        }
        return call.getKind() == SqlKind.IN && right instanceof SqlNodeList list
                ? of(condition, left, list.getList())
                : Optional.empty();
    }

    private static Optional<ColumnValueSet> of(
            ScopedExpression condition, SqlNode column, List<? extends SqlNode> constants) {
        List<String> values = new ArrayList<>();
        for (SqlNode one : constants) {
            Optional<String> value = one instanceof SqlLiteral literal ? value(literal) : Optional.empty();
            if (value.isEmpty()) {
                return Optional.empty();
            }
            values.add(value.get());
        }
        return condition.names().column(column).map(found -> new ColumnValueSet(found.column(), values));
    }

    private static Optional<String> value(SqlLiteral literal) {
        // Others, such as 1e18, are compared as doubles: several keys equal one of them.
        if (literal.getValue() instanceof BigDecimal number
                && literal.getTypeName() == SqlTypeName.DECIMAL
                && number.scale() == 0) {
            return Optional.of(number.toBigInteger().toString());
        }
        return literal.getValue() instanceof NlsString text ? Optional.of(text.getValue()) : Optional.empty();
    }
}
