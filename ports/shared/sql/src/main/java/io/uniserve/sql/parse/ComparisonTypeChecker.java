package io.uniserve.sql.parse;

import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidator;
import org.jspecify.annotations.Nullable;

/**
 * Visitor that refuses comparisons of different kinds of values. The validator accepts them. The engine would convert each row's value, and
 * fail at the first text that is not a number.
 */
final class ComparisonTypeChecker extends SqlBasicVisitor<@Nullable Void> {
    private static final Set<SqlKind> KINDS = Set.of(
            SqlKind.EQUALS,
            SqlKind.NOT_EQUALS,
            SqlKind.LESS_THAN,
            SqlKind.LESS_THAN_OR_EQUAL,
            SqlKind.GREATER_THAN,
            SqlKind.GREATER_THAN_OR_EQUAL,
            SqlKind.IS_DISTINCT_FROM,
            SqlKind.IS_NOT_DISTINCT_FROM,
            SqlKind.BETWEEN,
            SqlKind.IN,
            SqlKind.NOT_IN);

    private final SqlValidator validator;

    ComparisonTypeChecker(SqlValidator validator) {
        this.validator = validator;
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        if (KINDS.contains(call.getKind())) {
            SqlNode first = call.operand(0);
            for (SqlNode other : call.getOperandList().subList(1, call.operandCount())) {
                if (other instanceof SqlNodeList list) {
                    list.forEach(one -> check(call, first, one));
                } else {
                    check(call, first, other);
                }
            }
        }
        return super.visit(call);
    }

    private void check(SqlCall call, SqlNode left, SqlNode right) {
        RelDataType one = type(left);
        RelDataType other = type(right);
        if (one == null || other == null || isUntyped(one) || isUntyped(other)) {
            return;
        }
        if (one.getSqlTypeName().getFamily() != other.getSqlTypeName().getFamily()
                && !(isNumeric(one) && isNumeric(other))) {
            throw SqlErrorFactory.invalid(
                    call,
                    "a " + one.getSqlTypeName() + " cannot be compared with a " + other.getSqlTypeName()
                            + "; use CAST, or DATE before a text that is a date");
        }
    }

    /** Returns the type of an expression; for a sub-query the type of its single column. */
    private @Nullable RelDataType type(SqlNode node) {
        RelDataType type = validator.getValidatedNodeTypeIfKnown(node);
        boolean row = type != null && type.isStruct() && type.getFieldCount() == 1;
        return row ? type.getFieldList().get(0).getType() : type;
    }

    private static boolean isUntyped(RelDataType type) {
        return type.getSqlTypeName().getFamily() == SqlTypeFamily.NULL;
    }

    private static boolean isNumeric(RelDataType type) {
        return SqlTypeFamily.NUMERIC.getTypeNames().contains(type.getSqlTypeName());
    }
}
