package io.uniserve.sql.parse;

import io.uniserve.sql.engine.UnsupportedFeatures;
import io.uniserve.sql.engine.UnsupportedFeatures.Part;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidator;
import org.jspecify.annotations.Nullable;

/**
 * Visitor that refuses features that one engine lacks for values of some types: the type-dependent parts of {@link UnsupportedFeatures}.
 */
public final class UnsupportedValueChecker extends SqlBasicVisitor<@Nullable Void> {
    public static final Set<Part> PARTS = Set.of(
            Part.DATE_CAST,
            Part.DATE_DIFFERENCE,
            Part.DOUBLE_CAST,
            Part.LONG_ROUND,
            Part.MINUS_ZERO,
            Part.LARGEST_NUMBER,
            Part.CONSTANTS);

    private static final int DOUBLE_DIGITS = 15;

    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal LARGEST_DOUBLE = BigDecimal.valueOf(Double.MAX_VALUE);
    private static final Set<SqlKind> ROUNDED = Set.of(SqlKind.FLOOR, SqlKind.CEIL);
    private static final Set<SqlKind> SUMS = Set.of(SqlKind.PLUS, SqlKind.MINUS);

    private final UnsupportedFeatures unsupportedFeatures;
    private final SqlValidator validator;
    /** True within a query whose FROM has a query that may make minus zero. */
    private boolean derived;

    private @Nullable SqlSelect select;

    public UnsupportedValueChecker(UnsupportedFeatures unsupportedFeatures, SqlValidator validator) {
        this.unsupportedFeatures = unsupportedFeatures;
        this.validator = validator;
    }

    @Override
    public @Nullable Void visit(SqlLiteral literal) {
        if (unsupportedFeatures.parts().contains(Part.LARGEST_NUMBER)
                && literal.getValue() instanceof BigDecimal number
                && number.compareTo(LARGEST) == 0) {
            throw unsupportedFeatures.unsupported(literal, "the number " + number + ", the largest of 64 bits,");
        }
        return null;
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        SqlSelect around = select;
        if (call instanceof SqlSelect inner) {
            select = inner;
            super.visit(call); // FROM is visited before the keys of the query around it
            checkKeys(inner);
            select = around;
            return null;
        }
        super.visit(call);
        if (call.getKind() == SqlKind.CAST) {
            checkCast(call);
        } else if (call.getKind() == SqlKind.EQUALS && hasColumns(call.operand(0)) && hasColumns(call.operand(1))) {
            checkKey(call.operand(0), "an equality");
            checkKey(call.operand(1), "an equality");
        } else if (isDistinct(call)) {
            checkKey(call.operand(0), "DISTINCT");
        }
        if (unsupportedFeatures.parts().contains(Part.DATE_DIFFERENCE)
                && call.getKind() == SqlKind.MINUS
                && hasType(call.operand(0), SqlTypeName.DATE)
                && hasType(call.operand(1), SqlTypeName.DATE)) {
            throw unsupportedFeatures.unsupported(call, "a date minus a date");
        }
        checkRound(call);
        checkConstants(call);
        return null;
    }

    /** Returns the type of a node; empty for nodes without one, such as a list. */
    private Optional<RelDataType> type(SqlNode node) {
        RelDataType known = validator.getValidatedNodeTypeIfKnown(node);
        if (known != null || select == null || !(node instanceof SqlIdentifier || node instanceof SqlCall)) {
            return Optional.ofNullable(known);
        }
        try {
            return Optional.of(validator.deriveType(validator.getWhereScope(select), node));
        } catch (CalciteException e) {
            return Optional.empty(); // not a value: a part of a query
        }
    }

    private boolean hasType(SqlNode node, SqlTypeName... names) {
        return type(node)
                .filter(type -> List.of(names).contains(type.getSqlTypeName()))
                .isPresent();
    }

    private void checkRound(SqlCall call) {
        boolean round = isRound(call);
        if (!unsupportedFeatures.parts().contains(Part.LONG_ROUND) || !(round || ROUNDED.contains(call.getKind()))) {
            return;
        }
        SqlNode value = call.operand(0);
        boolean wide =
                hasType(value, SqlTypeName.DECIMAL) && type(value).orElseThrow().getPrecision() > DOUBLE_DIGITS;
        if (round ? hasType(value, SqlTypeName.BIGINT) : wide) {
            throw unsupportedFeatures.unsupported(
                    call,
                    call.getOperator().getName() + " of a number that may have more than " + DOUBLE_DIGITS
                            + " digits (CAST it to DOUBLE, or to a DECIMAL of fewer digits)");
        }
    }

    private static boolean isRound(SqlNode node) {
        return node instanceof SqlCall call && call.getOperator().getName().equals("ROUND");
    }

    private static boolean isDistinct(SqlCall call) {
        SqlLiteral quantifier = call instanceof SqlBasicCall basic ? basic.getFunctionQuantifier() : null;
        return quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT && call.operandCount() == 1;
    }

    private void checkKeys(SqlSelect query) {
        SqlNodeList groups = query.getGroup();
        if (groups != null) {
            groups.forEach(group -> checkKey(group, "GROUP BY"));
        }
        for (SqlNode item : query.getSelectList()) {
            SqlNode value = item.getKind() == SqlKind.AS && item instanceof SqlCall as ? as.operand(0) : item;
            if (query.isDistinct()) {
                checkKey(value, "DISTINCT");
            }
            derived |= isDouble(value) && mayBeMinusZero(value);
        }
    }

    private void checkKey(SqlNode node, String what) {
        if (unsupportedFeatures.parts().contains(Part.MINUS_ZERO) && isDouble(node) && mayBeMinusZero(node)) {
            throw unsupportedFeatures.unsupported(
                    node, what + " with a computed double, which may be minus zero (add 0.0 to it),");
        }
    }

    private boolean mayBeMinusZero(SqlNode node) {
        if (node instanceof SqlIdentifier) {
            return derived;
        }
        if (!(node instanceof SqlCall call) || !isDouble(node)) {
            return false;
        }
        List<SqlNode> operands = call.getOperandList();
        return switch (call.getKind()) {
            case PLUS -> operands.stream().allMatch(this::mayBeMinusZero);
            case MINUS, PLUS_PREFIX, FLOOR -> mayBeMinusZero(operands.get(0));
            case CASE, COALESCE, NULLIF -> operands.stream().anyMatch(this::mayHaveMinusZero);
            case MIN, MAX -> mayBeMinusZero(operands.get(0));
            case COUNT, SUM, AVG -> false;
            case CAST -> mayBeMinusZero(operands.get(0)) || isText(operands.get(0));
            default -> !call.getOperator().getName().equals("ABS");
        };
    }

    private boolean mayHaveMinusZero(@Nullable SqlNode node) {
        return node instanceof SqlNodeList list
                ? list.stream().anyMatch(this::mayHaveMinusZero)
                : node != null && mayBeMinusZero(node);
    }

    private void checkCast(SqlCall call) {
        SqlNode value = call.operand(0);
        if (unsupportedFeatures.parts().contains(Part.DATE_CAST) && hasType(value, SqlTypeName.DATE) && isText(call)) {
            throw unsupportedFeatures.unsupported(call, "CAST of a date to a text");
        }
        if (!unsupportedFeatures.parts().contains(Part.DOUBLE_CAST) || !isDouble(value)) {
            return;
        }
        if (hasType(call, SqlTypeName.BIGINT, SqlTypeName.INTEGER)
                && !ROUNDED.contains(value.getKind())
                && !isRound(value)) {
            throw unsupportedFeatures.unsupported(
                    call, "CAST of a double to a whole number (put ROUND, FLOOR or CEIL around it)");
        }
        if (isText(call)) {
            throw unsupportedFeatures.unsupported(call, "CAST of a double to a text");
        }
    }

    /** Refuses constants of a sum or product that overflow together: the engine may combine them first. */
    private void checkConstants(SqlCall call) {
        if (!unsupportedFeatures.parts().contains(Part.CONSTANTS) || call.operandCount() != 2) {
            return;
        }
        boolean product = call.getKind() == SqlKind.TIMES;
        if (!product && !SUMS.contains(call.getKind())) {
            return;
        }
        List<BigDecimal> all = new ArrayList<>();
        boolean real = collect(call, product, all);
        BigDecimal together = all.stream()
                .map(BigDecimal::abs)
                .reduce(product ? BigDecimal.ONE : BigDecimal.ZERO, product ? BigDecimal::multiply : BigDecimal::add);
        if (all.size() > 1 && together.compareTo(real ? LARGEST_DOUBLE : LARGEST) >= 0) {
            throw unsupportedFeatures.unsupported(call, "a sum or product whose constants are out of range together");
        }
    }

    /** Collects the constants of a sum or product. Returns true if one is a double. */
    private boolean collect(SqlNode node, boolean product, List<BigDecimal> constants) {
        if (node instanceof SqlLiteral literal && literal.getValue() instanceof BigDecimal number) {
            constants.add(number);
            return isDouble(literal);
        }
        boolean real = false;
        if (node instanceof SqlCall call
                && (product ? call.getKind() == SqlKind.TIMES : SUMS.contains(call.getKind()))) {
            for (SqlNode operand : call.getOperandList()) {
                real |= collect(operand, product, constants);
            }
        }
        return real;
    }

    private static boolean hasColumns(SqlNode node) {
        return node instanceof SqlIdentifier
                || (node instanceof SqlCall call
                        && !SqlNodeUtils.isQuery(call)
                        && call.getOperandList().stream().anyMatch(one -> one != null && hasColumns(one)));
    }

    private boolean isDouble(SqlNode node) {
        return hasType(node, SqlTypeName.DOUBLE);
    }

    private boolean isText(SqlNode node) {
        return hasType(node, SqlTypeName.VARCHAR, SqlTypeName.CHAR);
    }
}
