package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;

/** Expressions over groups, made of the actors' answers: aggregates of aggregates. */
final class MergeWriter extends SqlWriter {
    private final Partials partials;

    MergeWriter(Partials partials) {
        this.partials = partials;
    }

    @Override
    Optional<String> instead(SqlNode node) {
        if (Aggregates.is(node) && node instanceof SqlCall call) {
            return Optional.of(merged(call));
        }
        if (node instanceof SqlLiteral || Aggregates.in(node)) {
            return Optional.empty();
        }
        if (node instanceof SqlIdentifier || (node instanceof SqlCall && partials.groups() > 0)) {
            Optional<String> group = partials.group(partials.rows().write(node));
            if (group.isEmpty() && node instanceof SqlIdentifier) {
                throw SqlErrors.invalid(node, "column " + node + " is neither grouped nor in an aggregate");
            }
            return group;
        }
        return Optional.empty();
    }

    private String merged(SqlCall call) {
        if (call.getFunctionQuantifier() != null) {
            throw SqlErrors.unsupported(call, call.getOperator().getName() + " of DISTINCT values is");
        }
        String name = call.getOperator().getName();
        if (call.operandCount() != 1) {
            throw SqlErrors.unsupported(call, name + " of several values is");
        }
        SqlNode operand = call.operand(0);
        boolean all = operand instanceof SqlIdentifier star && star.isStar();
        String value = all ? "*" : partials.rows().write(operand);
        return switch (call.getOperator().getKind()) {
            case COUNT -> "CAST(sum(" + partials.column("count(" + value + ")") + ") AS BIGINT)";
            case AVG ->
                "(sum(" + partials.column("sum(" + value + ")") + ") / nullif(sum("
                        + partials.column("count(" + value + ")") + "), 0))";
            case MIN -> "min(" + partials.column("min(" + value + ")") + ")";
            case MAX -> "max(" + partials.column("max(" + value + ")") + ")";
            default -> "sum(" + partials.column("sum(" + value + ")") + ")";
        };
    }
}
