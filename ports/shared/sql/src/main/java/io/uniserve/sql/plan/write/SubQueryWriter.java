package io.uniserve.sql.plan.write;

import io.uniserve.sql.engine.StatementNaming;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/** Writer of a correlated condition: its columns are those of a sub-query's answer and those of the outer query. */
final class SubQueryWriter extends SqlWriter {
    private static final Set<SqlKind> ORDERINGS = Set.of(
            SqlKind.EQUALS,
            SqlKind.LESS_THAN,
            SqlKind.LESS_THAN_OR_EQUAL,
            SqlKind.GREATER_THAN,
            SqlKind.GREATER_THAN_OR_EQUAL);

    private final SubQuery sub;
    private final SqlWriter around;

    private SubQueryWriter(SubQuery sub, SqlWriter around) {
        this.sub = sub;
        this.around = around;
    }

    /**
     * Writes the value of a sub-query, in a statement over {@link StatementNaming#given}.
     *
     * @param outer writes the expressions of the outer query
     */
    static String text(SubQuery sub, SqlWriter outer) {
        SqlWriter around = outer.inSubQuery();
        SubQueryWriter inside = new SubQueryWriter(sub, around);
        String alias = alias(sub);
        List<String> where = Stream.concat(
                        sub.equalities().stream()
                                .map(one -> "(" + alias + ".c" + one.column() + " = "
                                        + around.write(one.outerExpression()) + ")"),
                        sub.conditions().stream().map(one -> inside.certain(one.condition())))
                .toList();
        String from = " FROM " + StatementNaming.given(sub.block()) + " AS " + alias + where(where);
        String exists = "EXISTS (SELECT 1" + from + ")";
        String value = "(SELECT " + alias + ".c0" + from + ")";
        return switch (sub.kind()) {
            case EXISTS -> "(" + exists + ")";
            case IN, NOT_IN -> {
                String in = sub.kind() == SubQuery.Kind.IN ? " IN " : " NOT IN ";
                yield "(" + (sub.left() == null ? "" : outer.write(sub.left())) + in + value + ")";
            }
            case SCALAR ->
                sub.valueIfEmpty().isEmpty()
                        ? value
                        : "(CASE WHEN " + exists + " THEN " + value + " ELSE " + sub.valueIfEmpty() + " END)";
        };
    }

    private static String alias(SubQuery sub) {
        return "s" + sub.block();
    }

    /**
     * Writes a condition that is never NULL, which makes no difference in WHERE. DuckDB 1.5.6 treats a bare {@code <>} as IS DISTINCT FROM
     * if an EXISTS is under OR or CASE, and would keep rows whose column is NULL. NOT and other forms may hide one.
     */
    private String certain(SqlNode condition) {
        String written = write(condition);
        return ORDERINGS.contains(condition.getKind()) ? written : "(" + written + " IS TRUE)";
    }

    @Override
    public Optional<String> replacement(SqlNode node) {
        Integer column = sub.columns().get(node);
        if (column != null) {
            return Optional.of(alias(sub) + ".c" + column);
        }
        return node instanceof SqlIdentifier ? Optional.of(around.write(node)) : Optional.empty();
    }
}
