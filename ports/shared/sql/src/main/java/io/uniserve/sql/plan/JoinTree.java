package io.uniserve.sql.plan;

import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlNode;

/** Tree of a FROM clause: tables and sub-query answers, by their numbers in it, and joins of two subtrees. */
public sealed interface JoinTree {
    /** True if the subtree contains the table. */
    boolean has(int item);

    /** True if no join of the subtree replaces the table's rows by NULLs. Its own conditions may then be evaluated before the join. */
    boolean keepsRows(int item);

    /** Returns the conditions of every ON, in the order of the text. */
    static List<ScopedExpression> conditions(JoinTree joinTree) {
        if (!(joinTree instanceof Join join)) {
            return List.of();
        }
        return Stream.of(conditions(join.left), conditions(join.right), join.on)
                .flatMap(List::stream)
                .toList();
    }

    /** One table or sub-query answer. */
    record Leaf(int item) implements JoinTree {
        @Override
        public boolean has(int other) {
            return item == other;
        }

        @Override
        public boolean keepsRows(int other) {
            return item == other;
        }
    }

    /**
     * Join of two subtrees.
     *
     * @param outer true for LEFT JOIN
     * @param on the conjuncts of ON; empty for a comma
     * @param place the node in the query's text
     */
    record Join(JoinTree left, JoinTree right, boolean outer, List<ScopedExpression> on, SqlNode place)
            implements JoinTree {
        public Join {
            on = List.copyOf(on);
        }

        @Override
        public boolean has(int item) {
            return left.has(item) || right.has(item);
        }

        @Override
        public boolean keepsRows(int item) {
            return left.has(item) ? left.keepsRows(item) : !outer && right.keepsRows(item);
        }

        /** True if an ON condition on one table alone may be evaluated before the join. */
        boolean allowsPushdown(int item) {
            return outer ? right.keepsRows(item) : keepsRows(item);
        }
    }
}
