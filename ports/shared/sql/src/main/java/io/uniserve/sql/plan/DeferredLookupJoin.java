package io.uniserve.sql.plan;

import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/**
 * Table that is looked up after the groups of the answer are known, instead of being joined. Conditions: the join equates its primary key
 * with a column of GROUP BY, and the query only shows its other columns. Such a join adds no rows; it removes none if each key has its row,
 * which is checked for the rows of the answer. A table that is joined through such a table counts too.
 *
 * @param item the table, by its place in FROM
 * @param primaryKey its key
 * @param key the column that equals it, of a joined table or of one that is looked up before
 */
public record DeferredLookupJoin(int item, String primaryKey, QueryScope.ColumnRef key) {
    /** True if a column of GROUP BY leads to the table directly. */
    boolean isFirst(Collection<DeferredLookupJoin> all) {
        return all.stream().noneMatch(other -> other.item == key.item());
    }

    /**
     * Returns the tables for which a deferred lookup pays: many rows would be sent, and each key is expected to have a row.
     *
     * @param all the candidates
     * @param counts rows per table that the table's own conditions leave
     * @param complete true for a table that is expected to have a row for each key
     */
    public static Set<Integer> choose(List<DeferredLookupJoin> all, List<Long> counts, Predicate<Integer> complete) {
        Set<Integer> chosen = new TreeSet<>();
        for (DeferredLookupJoin first : all) {
            if (first.isFirst(all) && counts.get(first.item) >= LateMaterialization.TABLE_ROWS_MIN) {
                Set<Integer> row = withDependents(first, all);
                chosen.addAll(row.stream().allMatch(complete) ? row : Set.of());
            }
        }
        return chosen;
    }

    /** Returns the places of a table and of those that are reached through it. */
    static Set<Integer> withDependents(DeferredLookupJoin first, List<DeferredLookupJoin> inOrder) {
        Set<Integer> row = new TreeSet<>(Set.of(first.item));
        inOrder.stream().filter(one -> row.contains(one.key.item())).forEach(one -> row.add(one.item));
        return row;
    }

    /** Returns all candidates of a FROM, each after the table that leads to it. */
    static List<DeferredLookupJoin> candidates(
            QueryBlock.Source from, QueryBlock.Output asked, PredicatePushdown predicatePushdown, int stays) {
        boolean inner = from.items().stream().allMatch(from.from()::keepsRows);
        if (stays < 0
                || !inner
                || !asked.grouped()
                || asked.distinct()
                || !LateMaterialization.isLimited(asked)
                || asked.order() == null
                || asked.order().getOffset() != null) {
            return List.of();
        }
        return new Search(from, asked, predicatePushdown, stays).all();
    }

    /** Condition with the tables that it names, and the equality of two columns if it is one. */
    private record Condition(BitSet items, Optional<PredicatePushdown.Equality> equality) {}

    private static final class Search {
        private final QueryBlock.Source from;
        private final QueryBlock.Output asked;
        private final PredicatePushdown predicatePushdown;
        private final List<Condition> terms = new ArrayList<>();
        private final Set<Integer> candidates = new TreeSet<>();

        Search(QueryBlock.Source from, QueryBlock.Output asked, PredicatePushdown predicatePushdown, int stays) {
            this.from = from;
            this.asked = asked;
            this.predicatePushdown = predicatePushdown;
            predicatePushdown.where().forEach(this::add);
            add(from.from());
            BitSet used = LateMaterialization.usedItems(from.scope(), asked);
            for (ScopedExpression answer : asked.selectItems()) {
                if (answer.names().column(answer.node()).isEmpty()) {
                    used.or(answer.names().items(answer.node()));
                }
            }
            for (int item = 0; item < from.tables().size(); item++) {
                if (item != stays
                        && !used.get(item)
                        && from.tables().get(item).primaryKey().size() == 1
                        && predicatePushdown.conditionsOf(item).isEmpty()) {
                    candidates.add(item);
                }
            }
        }

        private void add(JoinTree joinTree) {
            if (joinTree instanceof JoinTree.Join join) {
                predicatePushdown.conditionsOfJoin(join).forEach(this::add);
                add(join.left());
                add(join.right());
            }
        }

        private void add(ScopedExpression scopedExpression) {
            terms.add(
                    new Condition(scopedExpression.names().items(scopedExpression.node()), equality(scopedExpression)));
        }

        private static Optional<PredicatePushdown.Equality> equality(ScopedExpression scopedExpression) {
            if (scopedExpression.node().getKind() != SqlKind.EQUALS
                    || !(scopedExpression.node() instanceof SqlCall equals)) {
                return Optional.empty();
            }
            Optional<QueryScope.ColumnRef> left = scopedExpression.names().column(equals.operand(0));
            Optional<QueryScope.ColumnRef> right = scopedExpression.names().column(equals.operand(1));
            return left.isPresent() && right.isPresent()
                    ? Optional.of(new PredicatePushdown.Equality(left.get(), right.get()))
                    : Optional.empty();
        }

        /** Removes tables that do not qualify, until nothing changes: one table may lead to another. */
        List<DeferredLookupJoin> all() {
            while (true) {
                Map<Integer, DeferredLookupJoin> found = found();
                if (found.keySet().equals(candidates)) {
                    return inOrder(found);
                }
                candidates.retainAll(found.keySet());
            }
        }

        /** Returns the candidates whose every condition is an equality that leads to the candidate or on from it. */
        private Map<Integer, DeferredLookupJoin> found() {
            Map<Integer, DeferredLookupJoin> found = new TreeMap<>();
            BitSet taken = new BitSet(); // indexes of conditions
            for (boolean more = true; more; ) {
                more = false;
                for (int place = 0; place < terms.size(); place++) {
                    for (int item : candidates) {
                        Optional<DeferredLookupJoin> lookup = taken.get(place) || found.containsKey(item)
                                ? Optional.empty()
                                : lookupBy(item, terms.get(place), found);
                        if (lookup.isPresent()) {
                            found.put(item, lookup.get());
                            taken.set(place);
                            more = true;
                        }
                    }
                }
            }
            found.keySet()
                    .removeIf(item -> IntStream.range(0, terms.size())
                            .anyMatch(place -> terms.get(place).items.get(item) && !taken.get(place)));
            return found;
        }

        /** Returns the lookup that a condition allows: it equates the table's key with a column of GROUP BY, or of a table found before. */
        private Optional<DeferredLookupJoin> lookupBy(
                int item, Condition term, Map<Integer, DeferredLookupJoin> found) {
            String primary = from.tables().get(item).primaryKey().get(0);
            return term.equality
                    .filter(one -> one.columnOf(item)
                            .filter(own -> own.column().equals(primary))
                            .isPresent())
                    .map(one -> one.other(item))
                    .filter(other -> other.item() != item
                            && other.item() < QueryBlock.ANSWERS_FROM
                            && same(item, primary, other))
                    .flatMap(other ->
                            found.containsKey(other.item()) ? Optional.of(other) : groupedColumn(item, primary, other))
                    .map(key -> new DeferredLookupJoin(item, primary, key));
        }

        /** Returns the column that leads to the table, or one that equals it in every row, if the query groups by it. */
        private Optional<QueryScope.ColumnRef> groupedColumn(int item, String primary, QueryScope.ColumnRef other) {
            for (SqlNode group : asked.groups()) {
                Optional<QueryScope.ColumnRef> column = from.scope().column(group);
                if (column.isEmpty()) {
                    continue;
                }
                QueryScope.ColumnRef found = column.get();
                boolean itself = found.item() == item && found.column().equals(primary);
                if (itself || found.equals(other)) {
                    return Optional.of(other);
                }
                boolean equal = predicatePushdown.equalities().stream()
                        .anyMatch(one -> (one.left().equals(found)
                                        && one.right().equals(other))
                                || (one.right().equals(found) && one.left().equals(other)));
                if (equal
                        && found.item() < QueryBlock.ANSWERS_FROM
                        && !candidates.contains(found.item())
                        && same(item, primary, found)) {
                    return column;
                }
            }
            return Optional.empty();
        }

        private boolean same(int item, String primary, QueryScope.ColumnRef other) {
            return other.exact()
                    && from.tables().get(item).hasSameType(primary, from.item(other.item()), other.column());
        }

        /** Returns the lookups in order; empty if tables lead to each other in a cycle. */
        private static List<DeferredLookupJoin> inOrder(Map<Integer, DeferredLookupJoin> found) {
            List<DeferredLookupJoin> left = new ArrayList<>(found.values());
            List<DeferredLookupJoin> ordered = new ArrayList<>();
            while (!left.isEmpty()) {
                Optional<DeferredLookupJoin> next =
                        left.stream().filter(one -> one.isFirst(left)).findFirst();
                if (next.isEmpty()) {
                    return List.of();
                }
                left.remove(next.get());
                ordered.add(next.get());
            }
            return List.copyOf(ordered);
        }
    }
}
