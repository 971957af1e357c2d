package io.uniserve.sql;

import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlNode;

/** What a FROM is made of: tables and answers of sub-queries, by their numbers in it, and joins of two such. */
sealed interface JoinTree {
    /** True where the table is in here. */
    boolean has(int item);

    /** True where no join in here adds rows of NULLs in place of the table's: its own conditions may then come first. */
    boolean keeps(int item);

    /** The conditions of every ON, in the order of the text. */
    static List<ScopedExpression> conditions(JoinTree joinTree) {
        if (!(joinTree instanceof Join join)) {
            return List.of();
        }
        return Stream.of(conditions(join.left), conditions(join.right), join.on)
                .flatMap(List::stream)
                .toList();
    }

    /** One table or answer. */
    record Leaf(int item) implements JoinTree {
        @Override
        public boolean has(int other) {
            return item == other;
        }

        @Override
        public boolean keeps(int other) {
            return item == other;
        }
    }

    /**
     * Two sides.
     *
     * @param outer for LEFT JOIN
     * @param on the conditions of its ON, all of which must hold; none for a comma
     * @param place of it in the text
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
        public boolean keeps(int item) {
            return left.has(item) ? left.keeps(item) : !outer && right.keeps(item);
        }

        /** True where a condition of this ON that concerns one table alone may be evaluated before the join. */
        boolean pushes(int item) {
            return outer ? right.keeps(item) : keeps(item);
        }
    }
}
