package io.uniserve.sql.plan;

import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Condition that a column is within a range of whole numbers, both ends included.
 *
 * @param low the least value; empty if unbounded
 * @param high the greatest value; empty if unbounded
 */
record ColumnRange(String column, Optional<BigInteger> low, Optional<BigInteger> high) {
    private enum Bound {
        LOW,
        HIGH
    }

    /** Returns the range of a condition; empty if it is not a comparison of this kind. */
    static Optional<ColumnRange> of(ScopedExpression condition) {
        if (!(condition.node() instanceof SqlBasicCall call)) {
            return Optional.empty();
        }
        return switch (call.getKind()) {
            case GREATER_THAN -> compared(condition, call, Bound.LOW, 1);
            case GREATER_THAN_OR_EQUAL -> compared(condition, call, Bound.LOW, 0);
            case LESS_THAN -> compared(condition, call, Bound.HIGH, -1);
            case LESS_THAN_OR_EQUAL -> compared(condition, call, Bound.HIGH, 0);
            case BETWEEN -> between(condition, call);
            default -> Optional.empty();
        };
    }

    private static Optional<ColumnRange> compared(ScopedExpression condition, SqlCall call, Bound bound, int step) {
        Optional<ColumnRange> there = of(condition, call.operand(0), call.operand(1), bound, step);
        Bound other = bound == Bound.LOW ? Bound.HIGH : Bound.LOW;
        return there.or(() -> of(condition, call.operand(1), call.operand(0), other, -step));
    }

    private static Optional<ColumnRange> of(
            ScopedExpression condition, SqlNode column, SqlNode value, Bound bound, int step) {
        Optional<BigInteger> number = number(value).map(one -> one.add(BigInteger.valueOf(step)));
        return number.isEmpty()
                ? Optional.empty()
                : condition
                        .names()
                        .column(column)
                        .map(found -> bound == Bound.LOW
                                ? new ColumnRange(found.column(), number, Optional.empty())
                                : new ColumnRange(found.column(), Optional.empty(), number));
    }

    private static Optional<ColumnRange> between(ScopedExpression condition, SqlCall call) {
        SqlBetweenOperator operator = (SqlBetweenOperator) call.getOperator();
        Optional<BigInteger> low = number(call.operand(1));
        Optional<BigInteger> high = number(call.operand(2));
        return !operator.isNegated() && low.isPresent() && high.isPresent()
                ? condition.names().column(call.operand(0)).map(found -> new ColumnRange(found.column(), low, high))
                : Optional.empty();
    }

    /**
     * Returns a whole number that is written as such. Others, such as 1e18, are compared as doubles: nearly equal whole numbers do not keep
     * their order as doubles.
     */
    private static Optional<BigInteger> number(SqlNode node) {
        BigInteger sign = node.getKind() == SqlKind.MINUS_PREFIX ? BigInteger.ONE.negate() : BigInteger.ONE;
        SqlNode plain = node.getKind() == SqlKind.MINUS_PREFIX ? ((SqlCall) node).operand(0) : node;
        return plain instanceof SqlLiteral literal
                        && literal.getTypeName() == SqlTypeName.DECIMAL
                        && literal.getValue() instanceof BigDecimal number
                        && number.scale() == 0
                ? Optional.of(number.toBigInteger().multiply(sign))
                : Optional.empty();
    }

    /** Returns the intersection of both ranges. */
    ColumnRange intersect(ColumnRange other) {
        return new ColumnRange(
                column,
                low.isPresent() && other.low.isPresent()
                        ? Optional.of(low.get().max(other.low.get()))
                        : low.or(other::low),
                high.isPresent() && other.high.isPresent()
                        ? Optional.of(high.get().min(other.high.get()))
                        : high.or(other::high));
    }
}
