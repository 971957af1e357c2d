package io.uniserve.sql;

import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;

/** Which functions are over many rows. */
final class Aggregates {
    private static final Set<SqlKind> KINDS = Set.of(SqlKind.COUNT, SqlKind.SUM, SqlKind.AVG, SqlKind.MIN, SqlKind.MAX);

    private Aggregates() {}

    static boolean is(SqlNode node) {
        return node instanceof SqlCall call && KINDS.contains(call.getOperator().getKind());
    }

    /** Whether there is one anywhere in an expression; those of its sub-queries are their own. */
    static boolean in(@Nullable SqlNode node) {
        return any(node, Aggregates::is);
    }

    /** Whether there is a count in an expression, which is no NULL over no rows. */
    static boolean count(@Nullable SqlNode node) {
        return any(node, one -> is(one) && one.getKind() == SqlKind.COUNT);
    }

    private static boolean any(@Nullable SqlNode node, Predicate<SqlNode> wanted) {
        if (node == null || ParsedQuery.isQuery(node)) {
            return false;
        }
        if (node instanceof SqlNodeList list) {
            return list.stream().anyMatch(one -> any(one, wanted));
        }
        return wanted.test(node)
                || (node instanceof SqlCall call
                        && call.getOperandList().stream().anyMatch(one -> any(one, wanted)));
    }
}
