package io.uniserve.sql.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/** Helpers for nodes of a syntax tree. They need no names or types to be resolved. */
public final class SqlNodeUtils {
    private SqlNodeUtils() {}

    /** True for a node that is a query by itself. */
    public static boolean isQuery(@Nullable SqlNode node) {
        return node != null
                && (node.getKind().belongsTo(SqlKind.QUERY)
                        || node.getKind() == SqlKind.SCALAR_QUERY
                        || node.getKind() == SqlKind.ORDER_BY);
    }

    /** Returns the conjuncts of a condition; empty for null. Conditions that all sides of an OR have in common are included. */
    public static List<SqlNode> conjuncts(@Nullable SqlNode condition) {
        if (condition == null) {
            return List.of();
        }
        if (condition.getKind() == SqlKind.AND && condition instanceof SqlCall and) {
            return and.getOperandList().stream()
                    .flatMap(one -> conjuncts(one).stream())
                    .toList();
        }
        List<SqlNode> all = new ArrayList<>(List.of(condition));
        if (condition.getKind() == SqlKind.OR && condition instanceof SqlCall or) {
            List<List<SqlNode>> sides =
                    disjuncts(or).stream().map(SqlNodeUtils::conjuncts).toList();
            sides.get(0).stream()
                    .filter(one -> !hasQuery(one) && sides.stream().allMatch(side -> has(side, one)))
                    .forEach(all::add);
        }
        return all;
    }

    /** Returns the disjuncts of a condition. */
    public static List<SqlNode> disjuncts(SqlNode condition) {
        if (condition.getKind() == SqlKind.OR && condition instanceof SqlCall or) {
            return or.getOperandList().stream()
                    .flatMap(one -> disjuncts(one).stream())
                    .toList();
        }
        return List.of(condition);
    }

    private static boolean has(List<SqlNode> conditions, SqlNode wanted) {
        return conditions.stream().anyMatch(one -> one.equalsDeep(wanted, Litmus.IGNORE));
    }

    private static boolean hasQuery(@Nullable SqlNode node) {
        return isQuery(node)
                || (node instanceof SqlCall call
                        && call.getOperandList().stream().anyMatch(SqlNodeUtils::hasQuery));
    }

    /** Returns a column's name without that of its table. */
    public static String last(SqlIdentifier name) {
        return name.names.get(name.names.size() - 1);
    }

    /** Returns a name in lower case, which is the same in every locale. */
    public static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
