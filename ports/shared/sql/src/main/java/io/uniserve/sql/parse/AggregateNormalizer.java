package io.uniserve.sql.parse;

import io.uniserve.sql.rows.SqlErrorFactory;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/**
 * Normalization of aggregates after the parser, so that later steps handle one form of each. {@code sum(x) FILTER (WHERE c)} becomes {@code
 * sum(CASE WHEN c THEN x END)}, because no aggregate counts NULL. {@code approx_count_distinct(x)} becomes {@code count(DISTINCT x)}.
 * WITHIN GROUP, and ORDER BY inside an aggregate, become operands of the aggregate.
 */
final class AggregateNormalizer extends SqlShuttle {
    private static final String SEPARATOR = ",";

    private AggregateNormalizer() {}

    static SqlNode normalize(SqlNode tree) {
        SqlNode written = tree.accept(new AggregateNormalizer());
        return written == null ? tree : written;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode inside = super.visit(call);
        if (!(inside instanceof SqlCall inner)) {
            return inside;
        }
        return switch (inner.getKind()) {
            case FILTER -> withoutFilter(inner);
            case WITHIN_GROUP -> withoutWithinGroup(inner);
            default -> toOwnForm(inner);
        };
    }

    private static SqlNode withoutFilter(SqlCall filter) {
        if (!(filter.operand(0) instanceof SqlCall aggregate)) {
            return filter;
        }
        String name = FunctionCatalog.name(aggregate.getOperator());
        boolean several = aggregate.operandCount() > 1 && AggregateCatalog.function(name) != null;
        if (!AggregateCatalog.NAMES.contains(name) || (aggregate.operandCount() != 1 && !several)) {
            return filter;
        }
        SqlParserPos place = aggregate.getParserPosition();
        SqlNode value = aggregate.operand(0);
        boolean all = value instanceof SqlIdentifier star && star.isStar();
        if (all && isDistinct(aggregate)) {
            return filter;
        }
        SqlNode then = all ? SqlLiteral.createExactNumeric("1", place) : value;
        SqlNode which =
                SqlCase.createSwitched(place, null, SqlNodeList.of(filter.operand(1)), SqlNodeList.of(then), null);
        List<SqlNode> operands = new ArrayList<>(aggregate.getOperandList());
        operands.set(0, which);
        return call(aggregate.getOperator(), aggregate, operands);
    }

    private static boolean isDistinct(SqlCall aggregate) {
        SqlLiteral quantifier = aggregate.getFunctionQuantifier();
        return quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT;
    }

    private static SqlCall call(SqlOperator operator, SqlCall old, List<SqlNode> operands) {
        return operator.createCall(
                old.getFunctionQuantifier(), old.getParserPosition(), operands.toArray(SqlNode[]::new));
    }

    /** Moves WITHIN GROUP into the operands of its aggregate. Returns the node unchanged if the aggregate has no order. */
    private static SqlNode withoutWithinGroup(SqlCall group) {
        if (!(group.operand(0) instanceof SqlCall aggregate) || !(group.operand(1) instanceof SqlNodeList keys)) {
            return group;
        }
        String name = FunctionCatalog.name(aggregate.getOperator());
        SqlAggFunction own = AggregateCatalog.function(name);
        if (own != null && AggregateCatalog.STRING_AGGREGATES.contains(name) && aggregate.operandCount() == 2) {
            return texts(own, aggregate, aggregate.getOperandList(), keys.getList());
        }
        if (own == null || !AggregateCatalog.ORDERED_QUANTILES.contains(name)) {
            return group;
        }
        if (aggregate.operandCount() != 1 || keys.size() != 1) {
            throw SqlErrorFactory.invalid(
                    group, name + " needs one fraction, and one value in WITHIN GROUP (ORDER BY ...)");
        }
        SqlNode value = keys.get(0);
        boolean descends = false;
        while (value instanceof SqlCall how
                && (how.getKind() == SqlKind.DESCENDING
                        || how.getKind() == SqlKind.NULLS_FIRST
                        || how.getKind() == SqlKind.NULLS_LAST)) {
            descends |= how.getKind() == SqlKind.DESCENDING;
            value = how.operand(0);
        }
        return call(own, aggregate, List.of(value, quantileFraction(name, aggregate.operand(0), descends)));
    }

    /**
     * Returns the fraction, which must be from 0 to 1. For a descending order it is negated, and 0 becomes 1: the greatest value in both
     * forms.
     */
    private static SqlNode quantileFraction(String name, SqlNode node, boolean descends) {
        if (!(node instanceof SqlNumericLiteral literal)
                || !(literal.getValue() instanceof BigDecimal number)
                || number.signum() < 0
                || number.compareTo(BigDecimal.ONE) > 0) {
            throw SqlErrorFactory.invalid(node, name + " needs a constant from 0 to 1, not " + node);
        }
        if (!descends) {
            return node;
        }
        BigDecimal from = number.signum() == 0 ? BigDecimal.ONE : number.negate();
        return SqlLiteral.createExactNumeric(from.toPlainString(), node.getParserPosition());
    }

    private static SqlNode toOwnForm(SqlCall call) {
        String name = FunctionCatalog.name(call.getOperator());
        SqlAggFunction own = AggregateCatalog.function(name);
        if (name.equals("APPROX_COUNT_DISTINCT")) {
            SqlParserPos place = call.getParserPosition();
            return SqlStdOperatorTable.COUNT.createCall(
                    SqlSelectKeyword.DISTINCT.symbol(place),
                    place,
                    call.getOperandList().toArray(SqlNode[]::new));
        }
        if (own == null || own.equals(call.getOperator())) {
            return call;
        }
        if (AggregateCatalog.STRING_AGGREGATES.contains(name)) {
            return texts(own, call);
        }
        if (AggregateCatalog.QUANTILES.contains(name)) {
            if (call.operandCount() != 2) {
                throw SqlErrorFactory.invalid(call, name + " needs a value and a constant from 0 to 1");
            }
            return call(own, call, List.of(call.operand(0), quantileFraction(name, call.operand(1), false)));
        }
        return AggregateCatalog.ORDERED_QUANTILES.contains(name) ? call : call(own, call, call.getOperandList());
    }

    private static SqlNode texts(SqlAggFunction own, SqlCall call) {
        List<SqlNode> operands = new ArrayList<>(call.getOperandList());
        SqlNode last = operands.isEmpty() ? call : operands.get(operands.size() - 1);
        List<SqlNode> keys = List.of();
        if (last instanceof SqlNodeList order) {
            keys = order.getList();
            operands.remove(operands.size() - 1);
        }
        if (operands.size() == 1) {
            operands.add(SqlLiteral.createCharString(SEPARATOR, call.getParserPosition()));
        }
        if (operands.size() != 2 || !(operands.get(1) instanceof SqlCharStringLiteral)) {
            throw SqlErrorFactory.invalid(call, own.getName() + " needs a text, and a constant as separator");
        }
        return texts(own, call, operands, keys);
    }

    private static SqlNode texts(SqlAggFunction own, SqlCall call, List<SqlNode> operands, List<SqlNode> keys) {
        SqlNode value = operands.get(0);
        if (isDistinct(call) && (keys.size() > 1 || keys.stream().anyMatch(key -> !normalize(key, value)))) {
            throw SqlErrorFactory.unsupported(
                    call, own.getName() + " of DISTINCT values, ordered by something else, is");
        }
        List<SqlNode> all = new ArrayList<>(operands);
        all.addAll(keys);
        return call(own, call, all);
    }

    /** True if an ORDER BY key is this value, with or without a direction. */
    private static boolean normalize(SqlNode key, SqlNode value) {
        return key.equalsDeep(value, Litmus.IGNORE)
                || (key instanceof SqlCall how
                        && how.operandCount() == 1
                        && key.getKind()
                                .belongsTo(EnumSet.of(SqlKind.DESCENDING, SqlKind.NULLS_FIRST, SqlKind.NULLS_LAST))
                        && normalize(how.operand(0), value));
    }
}
