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
 * A sub-query in an expression. Its answer is there as rows before the expression is evaluated; where it depends on the row
 * of the query around it, the answer has the columns on which it depends, and the engine picks by them.
 *
 * @param place of it in the text
 * @param names of the query around it
 * @param how what its value is
 * @param left of IN; none else
 * @param block the stage whose answer it is
 * @param equal columns of the answer that equal expressions of the query around it
 * @param others conditions with columns of both
 * @param columns of the answer, by nodes of the others
 * @param empty what a scalar one is where there are no rows; "" for NULL
 * @param keys the stage with the values that the expressions of {@code equal} have; less than 0 for none
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

    /** What a sub-query's value is. */
    enum How {
        EXISTS,
        IN,
        NOT_IN,
        SCALAR
    }

    /** A column of the answer that must be equal to this. */
    record Equal(int column, SqlNode outside) {}

    /** A condition, and the names in it that are of the query around. */
    record Other(SqlNode condition, List<SqlIdentifier> outside) {}

    SubQuery {
        equal = List.copyOf(equal);
        others = List.copyOf(others);
    }

    /** Whether its value depends on the row of the query around it. */
    boolean correlated() {
        return !equal.isEmpty() || !others.isEmpty();
    }

    /** All of the query around it that its value depends on. */
    List<SqlNode> outside() {
        List<SqlNode> all = new ArrayList<>();
        if (left != null) {
            all.add(left);
        }
        equal.forEach(one -> all.add(one.outside()));
        others.forEach(one -> all.addAll(one.outside()));
        return all;
    }

    /** The expression in a statement over {@link FragmentedPlan#given}. */
    String text(SqlWriter writer) {
        SqlWriter around = writer.within();
        String alias = "s" + block;
        List<String> where = Stream.concat(
                        equal.stream()
                                .map(one ->
                                        "(" + alias + ".c" + one.column() + " = " + around.write(one.outside()) + ")"),
                        others.stream().map(one -> certain(new Both(around, alias), one.condition())))
                .toList();
        String from = " FROM " + FragmentedPlan.given(block) + " AS " + alias + FragmentedPlan.where(where);
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
     * A condition that holds where it is true, which in a WHERE it does anyway. DuckDB 1.5.6 takes a bare {@code <>} for IS
     * DISTINCT FROM where an EXISTS stands under OR or CASE, and would keep rows whose column is NULL; NOT and more may hide one.
     */
    private static String certain(SqlWriter writer, SqlNode condition) {
        String written = writer.write(condition);
        return ORDERINGS.contains(condition.getKind()) ? written : "(" + written + " IS TRUE)";
    }

    /** Expressions with columns of the answer and of the query around it. */
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
