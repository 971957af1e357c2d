package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelectKeyword;

/** Expressions over groups, made of the actors' answers: aggregates of aggregates. */
final class MergeWriter extends SqlWriter {
    private final Partials partials;
    private final ColumnWriter rows;
    private final String table;

    MergeWriter(Partials partials, ColumnWriter rows) {
        this(partials, rows, "");
    }

    private MergeWriter(Partials partials, ColumnWriter rows, String table) {
        this.partials = partials;
        this.rows = rows;
        this.table = table;
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
            Optional<String> group = partials.group(rows.write(node)).map(column -> table + column);
            if (group.isEmpty() && node instanceof SqlIdentifier) {
                throw SqlErrors.invalid(node, "column " + node + " is neither grouped nor in an aggregate");
            }
            return group;
        }
        return Optional.empty();
    }

    @Override
    Optional<SubQuery> sub(SqlNode node) {
        return rows.sub(node);
    }

    @Override
    MergeWriter within() {
        return new MergeWriter(partials, rows, SplitQuery.PARTS + ".");
    }

    @Override
    MergeWriter in(Names names) {
        return new MergeWriter(partials, rows.in(names), table);
    }

    private String merged(SqlCall call) {
        SqlLiteral quantifier = call.getFunctionQuantifier();
        boolean distinct = quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT;
        if (quantifier != null && !distinct) {
            throw SqlErrors.unsupported(call, call.getOperator().getName() + " of " + quantifier + " values is");
        }
        String name = call.getOperator().getName();
        if (call.operandCount() != 1) {
            throw SqlErrors.unsupported(call, name + " of several values is");
        }
        SqlNode operand = call.operand(0);
        SqlKind kind = call.getOperator().getKind();
        boolean all = operand instanceof SqlIdentifier star && star.isStar();
        String value = all ? "*" : rows.write(operand);
        if (distinct && kind != SqlKind.MIN && kind != SqlKind.MAX) {
            return ofDistinct(kind, value);
        }
        return switch (kind) {
            case COUNT -> "CAST(" + added("count(" + value + ")") + " AS BIGINT)";
            case AVG -> "(" + sum("sum(" + value + ")") + " / nullif(" + sum("count(" + value + ")") + ", 0))";
            case MIN -> "min(" + column("min(" + value + ")") + ")";
            case MAX -> "max(" + column("max(" + value + ")") + ")";
            default -> sum("sum(" + value + ")");
        };
    }

    /** Actors group by the values too, and so tell which there are. */
    private String ofDistinct(SqlKind kind, String value) {
        String values = "(DISTINCT " + table + partials.key(value) + ")";
        return switch (kind) {
            case COUNT -> "count" + values;
            case AVG -> "(sum" + values + " / nullif(count" + values + ", 0))";
            default -> "sum" + values;
        };
    }

    private String column(String expression) {
        return table + partials.column(expression);
    }

    private String sum(String expression) {
        return "sum(" + column(expression) + ")";
    }

    /** Actors without a group to tell of tell nothing, where there is a value to group by: a count is 0 then. */
    private String added(String count) {
        return partials.groups() > 0 ? sum(count) : "coalesce(" + sum(count) + ", 0)";
    }
}
