package io.uniserve.sql;

import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/** Which functions are over many rows. */
final class Aggregates {
    private static final Set<SqlKind> KINDS = Set.of(SqlKind.COUNT, SqlKind.SUM, SqlKind.AVG, SqlKind.MIN, SqlKind.MAX);

    private Aggregates() {}

    static boolean is(SqlNode node) {
        return node instanceof SqlCall call && KINDS.contains(call.getOperator().getKind());
    }

    /** Whether there is one anywhere in an expression. */
    static boolean in(@Nullable SqlNode node) {
        if (node == null) {
            return false;
        }
        if (node instanceof org.apache.calcite.sql.SqlNodeList list) {
            return list.stream().anyMatch(Aggregates::in);
        }
        return is(node)
                || (node instanceof SqlCall call
                        && call.getOperandList().stream().anyMatch(Aggregates::in));
    }
}
