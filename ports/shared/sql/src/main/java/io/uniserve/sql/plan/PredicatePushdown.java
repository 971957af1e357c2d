package io.uniserve.sql.plan;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.parse.SqlNodeUtils;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Placement of a join's conditions: those on one table alone are evaluated before the join, where its rows are, all others at the join.
 * Refuses a join without an equality, which would be a cross product.
 */
final class PredicatePushdown {
    private final QueryBlock.Source rows;
    private final Map<Integer, List<ScopedExpression>> conditionsByItem = new HashMap<>();
    private final List<ScopedExpression> where = new ArrayList<>();
    private final Map<JoinTree.Join, List<ScopedExpression>> conditionsByJoin = new IdentityHashMap<>();
    private final List<Equality> equalities = new ArrayList<>();
    private final List<Equality> outerEqualities = new ArrayList<>();
    private final Map<Integer, Integer> equivalenceClass = new HashMap<>();

    /** Two columns that are equal in every row of the join: rows of one table matter only if the other table has the value. */
    record Equality(QueryScope.ColumnRef left, QueryScope.ColumnRef right) {
        /** Returns the column of this item, if it is one of the two. */
        Optional<QueryScope.ColumnRef> columnOf(int item) {
            return left.item() == item ? Optional.of(left) : Optional.of(right).filter(found -> found.item() == item);
        }

        QueryScope.ColumnRef other(int item) {
            return left.item() == item ? right : left;
        }
    }

    /**
     * Places the conditions of these items.
     *
     * @param conditions of WHERE, and derived ones
     * @param single items of exactly one row, which need no equality
     * @param atJoin sub-queries, by stage, that are not answered before the join: their conditions are evaluated at the join
     */
    PredicatePushdown(QueryBlock.Source rows, List<ScopedExpression> conditions, BitSet single, Set<Integer> atJoin) {
        this.rows = rows;
        for (int item : rows.items()) {
            conditionsByItem.put(item, new ArrayList<>());
            equivalenceClass.put(item, item);
        }
        assignConditions(rows.from());
        for (ScopedExpression one : conditions) {
            BitSet items = one.names().items(one.node());
            addEquality(one, items, true);
            int item = items.nextSetBit(0);
            boolean waits = one.names().subQueries(one.node()).stream().anyMatch(sub -> atJoin.contains(sub.block()));
            boolean alone = items.cardinality() == 1 && rows.from().keepsRows(item) && !waits;
            (alone ? conditionsOf(item) : where).add(one);
            items.stream().filter(rows.from()::keepsRows).forEach(each -> addSides(one, each));
        }
        addTransitiveEqualities();
        List<Integer> joined =
                rows.items().stream().filter(item -> !single.get(item)).toList();
        for (int item : joined) {
            if (!Objects.equals(equivalenceClass.get(item), equivalenceClass.get(joined.get(0)))) {
                throw notEqual(item);
            }
        }
    }

    /** If every side of an OR has a condition on this item alone, the OR of these conditions is pushed down. */
    private void addSides(ScopedExpression condition, int item) {
        if (condition.node().getKind() != SqlKind.OR || !(condition.node() instanceof SqlCall or)) {
            return;
        }
        QueryScope queryScope = condition.names();
        List<SqlNode> sides = new ArrayList<>();
        for (SqlNode side : SqlNodeUtils.disjuncts(or)) {
            List<SqlNode> alone = SqlNodeUtils.conjuncts(side).stream()
                    .filter(one -> queryScope.items(one).cardinality() == 1
                            && queryScope.items(one).get(item)
                            && queryScope.subQueries(one).isEmpty())
                    .toList();
            if (alone.isEmpty() || queryScope.items(or).cardinality() == 1) {
                return;
            }
            sides.add(connect(SqlStdOperatorTable.AND, alone));
        }
        conditionsOf(item).add(new ScopedExpression(connect(SqlStdOperatorTable.OR, sides), queryScope));
    }

    private static SqlNode connect(SqlOperator operator, List<SqlNode> all) {
        return all.stream()
                .reduce((one, other) -> operator.createCall(one.getParserPosition(), one, other))
                .orElseThrow();
    }

    /** Adds the transitive equalities: a table can be reduced by another one that it is not directly compared with. */
    private void addTransitiveEqualities() {
        for (int i = 0; i < equalities.size(); i++) {
            for (int j = 0; j < i; j++) {
                Equality one = equalities.get(i);
                Equality other = equalities.get(j);
                for (QueryScope.ColumnRef end : List.of(one.left(), one.right())) {
                    if (end.exact() && (end.equals(other.left()) || end.equals(other.right()))) {
                        Equality more = new Equality(
                                end.equals(one.left()) ? one.right() : one.left(),
                                end.equals(other.left()) ? other.right() : other.left());
                        addIfNew(more);
                    }
                }
            }
        }
    }

    private void addIfNew(Equality more) {
        Equality turned = new Equality(more.right(), more.left());
        boolean exact = more.left().exact() && more.right().exact();
        if (exact
                && more.left().item() != more.right().item()
                && !equalities.contains(more)
                && !equalities.contains(turned)) {
            equalities.add(more);
        }
    }

    private void assignConditions(JoinTree joinTree) {
        if (!(joinTree instanceof JoinTree.Join join)) {
            return;
        }
        assignConditions(join.left());
        assignConditions(join.right());
        List<ScopedExpression> rest = new ArrayList<>();
        boolean equal = !join.outer();
        for (ScopedExpression one : join.on()) {
            BitSet items = one.names().items(one.node());
            equal |= addEquality(one, items, !join.outer())
                    && items.stream().anyMatch(join.left()::has)
                    && items.stream().anyMatch(join.right()::has);
            if (join.outer()) {
                addOuterEquality(join, one);
            }
            int item = items.nextSetBit(0);
            boolean alone = items.cardinality() == 1 && join.allowsPushdown(item);
            (alone ? conditionsOf(item) : rest).add(one);
        }
        if (!equal) {
            throw SqlErrorFactory.unsupported(
                    join.place(), "a LEFT or RIGHT JOIN whose ON has no equality of both sides' columns is");
        }
        conditionsByJoin.put(join, rest);
    }

    /**
     * Adds an equality of a LEFT JOIN's ON. Every row of the left table is kept, and matching rows of the right one have an equal value.
     */
    private void addOuterEquality(JoinTree.Join join, ScopedExpression condition) {
        QueryScope queryScope = condition.names();
        if (condition.node().getKind() != SqlKind.EQUALS
                || !(condition.node() instanceof SqlCall equals)
                || !queryScope.subQueries(equals).isEmpty()) {
            return;
        }
        Optional<QueryScope.ColumnRef> first = queryScope.column(equals.operand(0));
        Optional<QueryScope.ColumnRef> second = queryScope.column(equals.operand(1));
        if (first.isPresent() && second.isPresent()) {
            boolean turned = join.right().has(first.get().item());
            QueryScope.ColumnRef left = turned ? second.get() : first.get();
            QueryScope.ColumnRef right = turned ? first.get() : second.get();
            if (join.left().has(left.item())
                    && rows.from().keepsRows(left.item())
                    && join.right().keepsRows(right.item())) {
                outerEqualities.add(new Equality(left, right));
            }
        }
    }

    private UniserveException notEqual(int item) {
        QueryBlock.Item named = rows.item(item);
        return SqlErrorFactory.unsupported(
                named.place(),
                "a join without an equality, such as a.x = b.y, of table " + named.alias()
                        + " with one of the others is");
    }

    /** Records an equality of two tables' expressions. Returns false if the condition is none. */
    private boolean addEquality(ScopedExpression condition, BitSet items, boolean inner) {
        QueryScope queryScope = condition.names();
        if (condition.node().getKind() != SqlKind.EQUALS
                || !(condition.node() instanceof SqlCall equals)
                || !queryScope.subQueries(equals).isEmpty()) {
            return false;
        }
        BitSet left = queryScope.items((SqlNode) equals.operand(0));
        BitSet right = queryScope.items((SqlNode) equals.operand(1));
        if (left.cardinality() != 1 || right.cardinality() != 1 || left.intersects(right)) {
            return false;
        }
        mergeClasses(left.nextSetBit(0), right.nextSetBit(0));
        if (inner && items.stream().allMatch(rows.from()::keepsRows)) {
            queryScope
                    .column(equals.operand(0))
                    .ifPresent(one -> queryScope
                            .column(equals.operand(1))
                            .ifPresent(other -> equalities.add(new Equality(one, other))));
        }
        return true;
    }

    private void mergeClasses(int one, int other) {
        Integer from = equivalenceClass.get(other);
        Integer to = equivalenceClass.get(one);
        equivalenceClass.replaceAll((item, now) -> now.equals(from) ? to : now);
    }

    /** Returns the conditions on this item alone, which are evaluated where its rows are. */
    List<ScopedExpression> conditionsOf(int item) {
        return conditionsByItem.getOrDefault(item, List.of());
    }

    /** Returns the remaining conditions of WHERE. */
    List<ScopedExpression> where() {
        return where;
    }

    /** Returns the remaining conditions of an ON. */
    List<ScopedExpression> conditionsOfJoin(JoinTree.Join join) {
        return conditionsByJoin.getOrDefault(join, List.of());
    }

    List<Equality> equalities() {
        return equalities;
    }

    /** Returns the equalities of LEFT JOINs for which no other join adds rows of NULLs for either table. */
    List<Equality> outerEqualities() {
        return outerEqualities;
    }
}
