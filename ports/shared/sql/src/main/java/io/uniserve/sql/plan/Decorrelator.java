package io.uniserve.sql.plan;

import io.uniserve.sql.parse.AggregateCatalog;
import io.uniserve.sql.plan.QueryBlock.Output;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.plan.write.SqlWriter;
import io.uniserve.sql.plan.write.SubQuery;
import io.uniserve.sql.plan.write.SubQuery.Condition;
import io.uniserve.sql.plan.write.SubQuery.Equality;
import io.uniserve.sql.plan.write.SubQuery.Kind;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Decorrelation of a sub-query: it removes the conditions that depend on the row of the outer query. The sub-query's answer gets the
 * columns that these conditions compare, an aggregating one is also grouped by them, and the outer query selects by them.
 */
final class Decorrelator {
    private final SqlNode place;
    private final QueryScope outerScope;
    private final Kind how;
    private final QueryScope innerScope;
    private final boolean grouped;
    /** Columns that the answer has after its value. */
    private final List<SqlNode> answerColumns = new ArrayList<>();

    private final List<SqlNode> equalInside = new ArrayList<>();
    private final List<Equality> equalities = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();
    private final Map<SqlNode, Integer> byNode = new IdentityHashMap<>();
    private String valueIfEmpty = "";

    /** Decorrelates one sub-query, whose names are resolved by {@code inner}. */
    Decorrelator(SqlNode place, QueryScope around, Kind how, QueryScope inner, boolean grouped) {
        this.place = place;
        this.outerScope = around;
        this.how = how;
        this.innerScope = inner;
        this.grouped = grouped;
    }

    private int values() {
        return how == Kind.EXISTS ? 0 : 1;
    }

    private int column(SqlNode node) {
        answerColumns.add(node);
        return values() + answerColumns.size() - 1;
    }

    /** Adds a condition that names columns of the outer query. */
    void add(SqlNode condition) {
        if (!innerScope.subQueries(condition).isEmpty()) {
            throw unsupported(condition, "a condition with a sub-query and with columns of the query around it is");
        }
        List<SqlIdentifier> outside = innerScope.outerNames(condition);
        for (SqlIdentifier name : outside) {
            if (outerScope.isOutside(name)) {
                throw unsupported(name, "a column of a query further out than the next one is");
            }
        }
        if (condition.getKind() == SqlKind.EQUALS && condition instanceof SqlCall equals) {
            SqlNode left = equals.operand(0);
            SqlNode right = equals.operand(1);
            if (equals(left, right) || equals(right, left)) {
                return;
            }
        }
        if (grouped) {
            throw unsupported(
                    condition, "a sub-query of groups with this condition on columns of the query around it is");
        }
        condition.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                if (!outside.contains(name)) {
                    byNode.put(name, column(name));
                }
                return null;
            }
        });
        conditions.add(new Condition(condition, outside));
    }

    private boolean equals(SqlNode inside, SqlNode outside) {
        if (innerScope.items(inside).isEmpty()
                || !innerScope.outerNames(inside).isEmpty()
                || !innerScope.items(outside).isEmpty()) {
            return false;
        }
        equalities.add(new Equality(column(inside), outside));
        equalInside.add(inside);
        return true;
    }

    private static io.uniserve.error.UniserveException unsupported(SqlNode node, String what) {
        return SqlErrorFactory.unsupported(node, what);
    }

    /** Returns the decorrelated sub-query. Fails with UNSUPPORTED if it cannot be decorrelated. */
    Output buildOutput(SqlSelect select, List<SqlNode> answers, List<String> aliases, List<SqlNode> groups) {
        boolean limited = select.getFetch() != null || select.getOffset() != null;
        List<SqlNode> all = new ArrayList<>(how == Kind.EXISTS ? List.of() : answers);
        if (answerColumns.isEmpty()) {
            boolean asItIs = grouped || limited || how == Kind.SCALAR;
            if (how == Kind.EXISTS) {
                all = asItIs ? answers : List.of(SqlLiteral.createExactNumeric("1", SqlParserPos.ZERO));
            }
            boolean distinct = select.isDistinct() || !asItIs;
            return asItIs
                    ? buildOutput(all, aliases, distinct, groups, select, select)
                    : buildOutput(all, noAliases(all), distinct, groups, select, null);
        }
        if (equalities.isEmpty()) {
            throw unsupported(
                    place, "a sub-query without an equality of its columns with those of the query around it is");
        }
        if (limited) {
            throw unsupported(place, "LIMIT or OFFSET in a sub-query that names columns of the query around it is");
        }
        boolean one = grouped && groups.isEmpty();
        if (one && (how != Kind.SCALAR || select.getHaving() != null)) {
            throw unsupported(
                    place, "an aggregate without GROUP BY in a sub-query that names columns of the query around it is");
        }
        if (one) {
            String none = new Empty().write(answers.get(0));
            valueIfEmpty = none.equals("NULL") ? "" : none;
        }
        all.addAll(answerColumns);
        List<SqlNode> by = new ArrayList<>(groups);
        if (grouped) {
            by.addAll(equalInside);
        }
        return buildOutput(
                all, noAliases(all), select.isDistinct() || (!grouped && how != Kind.SCALAR), by, select, null);
    }

    private static List<String> noAliases(List<SqlNode> answers) {
        return Collections.nCopies(answers.size(), "");
    }

    private Output buildOutput(
            List<SqlNode> answers,
            List<String> aliases,
            boolean distinct,
            List<SqlNode> groups,
            SqlSelect select,
            @Nullable SqlSelect order) {
        List<ScopedExpression> terms = answers.stream()
                .map(node -> new ScopedExpression(node, innerScope))
                .toList();
        return new Output(terms, noAliases(answers), aliases, distinct, groups, grouped, select.getHaving(), order);
    }

    /** Returns the semi-join condition that limits the sub-query to the values that a stage before it found. */
    ScopedExpression reduction(int keys) {
        SqlNode node = SqlStdOperatorTable.EXISTS.createCall(
                place.getParserPosition(), SqlLiteral.createExactNumeric("1", place.getParserPosition()));
        List<Equality> inside = new ArrayList<>();
        for (SqlNode one : equalInside) {
            inside.add(new Equality(inside.size(), one));
        }
        boolean single = inside.size() == 1;
        innerScope.add(
                node,
                new SubQuery(
                        place,
                        innerScope,
                        single ? Kind.IN : Kind.EXISTS,
                        single ? equalInside.get(0) : null,
                        keys,
                        single ? List.of() : inside,
                        List.of(),
                        Map.of(),
                        "",
                        -1));
        return new ScopedExpression(node, innerScope);
    }

    List<Equality> equalities() {
        return equalities;
    }

    List<Condition> conditions() {
        return conditions;
    }

    Map<SqlNode, Integer> columns() {
        return byNode;
    }

    String valueIfEmpty() {
        return valueIfEmpty;
    }

    /** Writer of an expression of aggregates as it is over no rows. */
    private static final class Empty extends SqlWriter {
        @Override
        public Optional<String> replacement(SqlNode node) {
            if (AggregateCatalog.isAggregate(node)) {
                return Optional.of(node.getKind() == SqlKind.COUNT ? "0" : "NULL");
            }
            return Optional.empty();
        }
    }
}
