package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.sql.engine.UnsupportedFeatures;
import io.uniserve.sql.engine.UnsupportedFeatures.Part;
import io.uniserve.sql.parse.CheckedQuery;
import io.uniserve.sql.parse.FunctionCatalog;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.parse.UnsupportedValueChecker;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/** Checker that refuses queries with {@link UnsupportedFeatures} of an engine, with line and column. */
public final class UnsupportedFeatureChecker {
    private final UnsupportedFeatures features;

    public UnsupportedFeatureChecker(UnsupportedFeatures features) {
        this.features = features;
    }

    /** Refuses a query with UNSUPPORTED, before any actor is called. */
    public void check(SqlNode tree, Optional<QueryPlan.Inner> inner) {
        first(tree, this::isMissing).ifPresent(function -> {
            throw features.unsupported(function, FunctionCatalog.name(((SqlCall) function).getOperator()));
        });
        if (features.parts().contains(Part.SUB_QUERY)) {
            inner.ifPresent(this::refuse);
        }
        if (features.parts().contains(Part.TRIM)) {
            first(tree, node -> node.getKind() == SqlKind.TRIM).ifPresent(trim -> {
                throw features.unsupported(trim, "TRIM");
            });
        }
        if (features.parts().contains(Part.BACKSLASH)) {
            first(tree, UnsupportedFeatureChecker::hasBackslash).ifPresent(text -> {
                throw features.unsupported(text, "a backslash");
            });
        }
    }

    /** Refuses features that depend on types. */
    public void check(Map<String, ColumnSchema> tables, String text) {
        if (features.parts().stream().anyMatch(UnsupportedValueChecker.PARTS::contains)) {
            CheckedQuery.visit(
                    tables, ParsedQuery.of(text), validator -> new UnsupportedValueChecker(features, validator));
        }
    }

    private void refuse(QueryPlan.Inner inner) {
        throw features.unsupported(
                inner.place(),
                inner.derived()
                        ? "a query in FROM or WITH with groups, DISTINCT, LIMIT or OFFSET, or on the outer side of a join,"
                        : "a sub-query");
    }

    /**
     * Refuses a join with UNSUPPORTED, before rows of other tables are requested.
     *
     * @param statement over rows of more than one table
     * @param queryBlock the block of the statement
     */
    public void checkJoin(String statement, QueryBlock queryBlock) {
        if (features.unsupportedJoin().test(statement)) {
            throw features.unsupported(
                    computed(queryBlock, 2).or(() -> computed(queryBlock, 0)).orElse(queryBlock.place()),
                    "a join by a computed value beside another equality");
        }
    }

    /** Returns the first equality of an expression, with columns of at least this many tables. */
    private static Optional<SqlNode> computed(QueryBlock queryBlock, int tables) {
        return Stream.concat(
                        JoinTree.conditions(queryBlock.source().from()).stream(), queryBlock.source().where().stream())
                .flatMap(scopedExpression -> first(
                        scopedExpression.node(),
                        node -> computes(node)
                                && scopedExpression.names().items(node).cardinality() >= tables)
                        .stream())
                .findFirst();
    }

    private boolean isMissing(SqlNode node) {
        return node instanceof SqlCall call && features.functions().contains(FunctionCatalog.name(call.getOperator()));
    }

    private static boolean hasBackslash(SqlNode node) {
        return node instanceof SqlLiteral literal
                && literal.getValue() instanceof NlsString text
                && text.getValue().indexOf('\\') >= 0;
    }

    /** True for an equality of an expression, false for one of names and constants. */
    private static boolean computes(SqlNode node) {
        return node.getKind() == SqlKind.EQUALS
                && node instanceof SqlCall equality
                && equality.getOperandList().stream().anyMatch(SqlCall.class::isInstance);
    }

    /** Returns the first node of this kind in a tree. Its children are not searched. */
    private static Optional<SqlNode> first(@Nullable SqlNode tree, Predicate<SqlNode> wanted) {
        if (tree == null) {
            return Optional.empty();
        }
        if (wanted.test(tree)) {
            return Optional.of(tree);
        }
        Stream<? extends @Nullable SqlNode> inside = tree instanceof SqlNodeList list
                ? list.stream()
                : tree instanceof SqlCall call ? call.getOperandList().stream() : Stream.empty();
        return inside.flatMap(node -> first(node, wanted).stream()).findFirst();
    }
}
