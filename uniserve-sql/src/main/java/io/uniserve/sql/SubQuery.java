package io.uniserve.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/**
 * Sub-query in an expression. Its answer is available as rows before the expression is evaluated. A correlated one has the columns on which
 * it depends in its answer, and the engine selects by them.
 *
 * @param place the node in the query's text
 * @param names the scope of the outer query
 * @param how the kind of its value
 * @param left the left operand of IN; null otherwise
 * @param block the stage of its answer
 * @param equal columns of the answer that equal expressions of the outer query
 * @param others conditions with columns of both
 * @param columns columns of the answer, by nodes of {@code others}
 * @param empty the value of a scalar one without rows; "" for NULL
 * @param keys the stage that collects the values of the expressions in {@code equal}; negative for none
 */
record SubQuery(
        SqlNode place,
        QueryScope names,
        How how,
        @Nullable SqlNode left,
        int block,
        List<Equal> equal,
        List<Other> others,
        Map<SqlNode, Integer> columns,
        String empty,
        int keys) {

    private static final Set<SqlKind> ORDERINGS = Set.of(
            SqlKind.EQUALS,
            SqlKind.LESS_THAN,
            SqlKind.LESS_THAN_OR_EQUAL,
            SqlKind.GREATER_THAN,
            SqlKind.GREATER_THAN_OR_EQUAL);

    /** Kind of a sub-query's value. */
    enum How {
        EXISTS,
        IN,
        NOT_IN,
        SCALAR
    }

    /** Column of the answer that must equal this expression. */
    record Equal(int column, SqlNode outside) {}

    /** Condition, and its names that belong to the outer query. */
    record Other(SqlNode condition, List<SqlIdentifier> outside) {}

    SubQuery {
        equal = List.copyOf(equal);
        others = List.copyOf(others);
    }

    /** True if its value depends on the row of the outer query. */
    boolean correlated() {
        return !equal.isEmpty() || !others.isEmpty();
    }

    /** Returns the expressions of the outer query on which its value depends. */
    List<SqlNode> outside() {
        List<SqlNode> all = new ArrayList<>();
        if (left != null) {
            all.add(left);
        }
        equal.forEach(one -> all.add(one.outside()));
        others.forEach(one -> all.addAll(one.outside()));
        return all;
    }

    /** Writes the expression in a statement over {@link StatementNames#given}. */
    String text(SqlWriter writer) {
        SqlWriter around = writer.within();
        String alias = "s" + block;
        List<String> where = Stream.concat(
                        equal.stream()
                                .map(one ->
                                        "(" + alias + ".c" + one.column() + " = " + around.write(one.outside()) + ")"),
                        others.stream().map(one -> certain(new Both(around, alias), one.condition())))
                .toList();
        String from = " FROM " + StatementNames.given(block) + " AS " + alias + SqlWriter.where(where);
        String exists = "EXISTS (SELECT 1" + from + ")";
        String value = "(SELECT " + alias + ".c0" + from + ")";
        return switch (how) {
            case EXISTS -> "(" + exists + ")";
            case IN, NOT_IN -> {
                String in = how == How.IN ? " IN " : " NOT IN ";
                yield "(" + (left == null ? "" : writer.write(left)) + in + value + ")";
            }
            case SCALAR ->
                empty.isEmpty() ? value : "(CASE WHEN " + exists + " THEN " + value + " ELSE " + empty + " END)";
        };
    }

    /**
     * Writes a condition that is never NULL, which makes no difference in WHERE. DuckDB 1.5.6 treats a bare {@code <>} as IS DISTINCT FROM
     * if an EXISTS is under OR or CASE, and would keep rows whose column is NULL. NOT and other forms may hide one.
     */
    private static String certain(SqlWriter writer, SqlNode condition) {
        String written = writer.write(condition);
        return ORDERINGS.contains(condition.getKind()) ? written : "(" + written + " IS TRUE)";
    }

    /** Writer of expressions with columns of both the answer and the outer query. */
    private final class Both extends SqlWriter {
        private final SqlWriter around;
        private final String alias;

        Both(SqlWriter around, String alias) {
            this.around = around;
            this.alias = alias;
        }

        @Override
        Optional<String> instead(SqlNode node) {
            Integer column = columns.get(node);
            if (column != null) {
                return Optional.of(alias + ".c" + column);
            }
            return node instanceof SqlIdentifier ? Optional.of(around.write(node)) : Optional.empty();
        }
    }
}
