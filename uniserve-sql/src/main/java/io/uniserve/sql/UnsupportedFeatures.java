package io.uniserve.sql;

import io.uniserve.api.Columns;
import io.uniserve.error.UniserveException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Features of the planner that one engine lacks. They are refused when the query is planned, with line and column. An actor gets statements
 * only, and cannot report the place in the query.
 *
 * @param engine its name, for messages
 * @param parts the parts of queries that it lacks
 * @param functions those of {@link Functions#answered} that it lacks or has in another form
 * @param joins true for statements over an actor's rows and those of other tables whose equalities it does not support
 */
public record UnsupportedFeatures(String engine, Set<Part> parts, Set<String> functions, Predicate<String> joins) {
    /** For an engine that supports everything. */
    public static final UnsupportedFeatures NOTHING =
            new UnsupportedFeatures("", Set.of(), Set.of(), statement -> false);

    /** Part of a query. */
    public enum Part {
        /** A sub-query that is a stage of its own: in an expression, or in FROM or WITH if it does more than select rows. */
        SUB_QUERY,
        /** TRIM in any form. */
        TRIM,
        /** A backslash in a constant. */
        BACKSLASH,
        /** CAST of a date to a text. */
        DATE_CAST,
        /** CAST of a double to a text, or to a whole number unless it is rounded already. */
        DOUBLE_CAST,
        /** ROUND of a bigint, or FLOOR or CEIL of a decimal, that may have more than the 15 digits that a double can hold. */
        LONG_ROUND,
        /** A computed double that may be minus zero, in GROUP BY, DISTINCT or an equality of two tables. */
        MINUS_ZERO,
        /** The largest whole number of 64 bits. */
        LARGEST_NUMBER,
        /** The days between two dates. */
        DATE_DIFFERENCE,
        /** Several constants in one sum or product that overflow together. */
        CONSTANTS
    }

    public UnsupportedFeatures {
        parts = Set.copyOf(parts);
        functions = Set.copyOf(functions);
    }

    /** Refuses a query with UNSUPPORTED, before any actor is called. */
    void check(SqlNode tree, Optional<QueryPlan.Inner> inner) {
        first(tree, this::isMissing).ifPresent(function -> {
            throw unsupported(function, Functions.name(((SqlCall) function).getOperator()));
        });
        if (parts.contains(Part.SUB_QUERY)) {
            inner.ifPresent(this::refuse);
        }
        if (parts.contains(Part.TRIM)) {
            first(tree, node -> node.getKind() == SqlKind.TRIM).ifPresent(trim -> {
                throw unsupported(trim, "TRIM");
            });
        }
        if (parts.contains(Part.BACKSLASH)) {
            first(tree, UnsupportedFeatures::hasBackslash).ifPresent(text -> {
                throw unsupported(text, "a backslash");
            });
        }
    }

    /** Refuses features that depend on types. */
    void check(Map<String, Columns> tables, String text) {
        if (parts.stream().anyMatch(UnsupportedValueChecker.PARTS::contains)) {
            CheckedQuery.visit(tables, ParsedQuery.of(text), validator -> new UnsupportedValueChecker(this, validator));
        }
    }

    private void refuse(QueryPlan.Inner inner) {
        throw unsupported(
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
    void checkJoin(String statement, QueryBlock queryBlock) {
        if (joins.test(statement)) {
            throw unsupported(
                    computed(queryBlock, 2).or(() -> computed(queryBlock, 0)).orElse(queryBlock.place()),
                    "a join by a computed value beside another equality");
        }
    }

    /** Returns the first equality of an expression, with columns of at least this many tables. */
    private static Optional<SqlNode> computed(QueryBlock queryBlock, int tables) {
        return Stream.concat(JoinTree.conditions(queryBlock.rows().from()).stream(), queryBlock.rows().where().stream())
                .flatMap(scopedExpression -> first(
                        scopedExpression.node(),
                        node -> computes(node)
                                && scopedExpression.names().items(node).cardinality() >= tables)
                        .stream())
                .findFirst();
    }

    UniserveException unsupported(SqlNode place, String what) {
        return SqlErrors.unsupported(place, what + " on " + engine + " is");
    }

    private boolean isMissing(SqlNode node) {
        return node instanceof SqlCall call && functions.contains(Functions.name(call.getOperator()));
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
