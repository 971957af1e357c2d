package io.uniserve.sql;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.FragmentedPlan.Reduction;
import io.uniserve.sql.FragmentedPlan.Side;
import io.uniserve.sql.QueryBlock.Item;
import io.uniserve.sql.QueryBlock.Rows;
import io.uniserve.sql.QueryBlock.Wanted;
import io.uniserve.sql.QueryScope.ScopedExpression;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlNode;

/** Planner that turns one query block into a {@link FragmentedPlan}. */
final class Fragmenter {
    private final Rows from;
    private final Wanted asked;
    private final PredicatePushdown predicatePushdown;
    private final int stays;
    private List<Integer> paired = List.of();
    /** Columns that the join needs per table, in the order in which they were found. */
    private final List<List<String>> wanted = new ArrayList<>();

    private final ColumnWriter rows;
    private final List<LateMaterialization> late;
    private final List<DeferredLookupJoin> lookups;
    private final List<DeferredLookupJoin> candidates;
    private final PartialAggregation partialAggregation;
    private final SqlWriter merged;

    /**
     * Plans one of the blocks.
     *
     * @param stage says whether the block's reduction applies, and whether columns may be late
     * @param stays the stationary table; negative for the first one that can stay, or none
     */
    Fragmenter(Map<Integer, QueryBlock> blocks, QueryBlock queryBlock, Stage stage, int stays) {
        from = queryBlock.rows();
        asked = queryBlock.wanted();
        List<ScopedExpression> where = new ArrayList<>(from.where());
        if (stage.reduced()) {
            queryBlock.reduction().ifPresent(where::add);
        }
        BitSet single = new BitSet();
        for (int item : from.items()) {
            QueryBlock answer = blocks.get(from.item(item).block());
            single.set(item, answer != null && answer.single());
        }
        predicatePushdown =
                new PredicatePushdown(from, where, single, stage.checked().keySet());
        this.stays = stays < 0 ? first() : stays;
        if (this.stays >= from.tables().size()
                || (this.stays >= 0 && !from.from().keeps(this.stays))) {
            throw UniserveException.invalid("the table at place " + stays + " of FROM cannot stay in its place");
        }
        from.tables().forEach(item -> wanted.add(new ArrayList<>()));
        // Holistic aggregates need the values of a group: late columns and deferred lookups would be missing among
        // them.
        boolean ungrouped = asked.grouped() && wantsWhole(asked);
        partialAggregation = new PartialAggregation(ungrouped);
        candidates = ungrouped ? List.of() : DeferredLookupJoin.of(from, asked, predicatePushdown, this.stays);
        lookups = chosen(stage.after());
        boolean alone = this.stays == 0 && from.items().size() == 1;
        rows = new ColumnWriter(from.names(), alone ? ColumnWriter.ALONE : this::joined);
        late = stage.late() && this.stays >= 0 && !ungrouped
                ? LateMaterialization.of(from, asked, predicatePushdown, this.stays).stream()
                        .filter(one -> !stage.after().contains(one.item()))
                        .toList()
                : List.of();
        if (asked.grouped()) {
            partialAggregation.groups(
                    asked.groups().stream().filter(group -> !isLate(group)).toList(), rows);
            merged = new MergeWriter(partialAggregation, rows);
        } else {
            merged = new PlainWriter(partialAggregation, rows);
        }
    }

    private static boolean wantsWhole(Wanted asked) {
        return asked.answers().stream().anyMatch(scopedExpression -> Aggregates.whole(scopedExpression.node()))
                || Aggregates.whole(asked.having())
                || (asked.order() != null && Aggregates.whole(asked.order().getOrderList()));
    }

    /** Marks tables whose rows come as they were joined before: a row number connects rows that belong together. */
    Fragmenter paired(List<Integer> items) {
        paired = List.copyOf(items);
        return this;
    }

    /** Returns the tables that may be looked up after the groups. */
    List<DeferredLookupJoin> candidates() {
        return candidates;
    }

    private List<DeferredLookupJoin> chosen(Set<Integer> items) {
        List<DeferredLookupJoin> some =
                candidates.stream().filter(one -> items.contains(one.item())).toList();
        // A table that is reached through another one comes after it, and only together with it.
        boolean together = candidates.stream()
                .allMatch(one -> one.isFirst(candidates)
                        || items.contains(one.item())
                                == items.contains(one.key().item()));
        if (some.size() != items.size() || !together) {
            throw UniserveException.invalid("tables " + items + " of FROM cannot come after the groups");
        }
        return some;
    }

    private boolean comesAfter(int item) {
        return lookups.stream().anyMatch(one -> one.item() == item);
    }

    /** False for conditions on deferred tables: the lookup itself evaluates them. */
    private boolean holds(ScopedExpression condition) {
        return condition.names().items(condition.node()).stream().noneMatch(this::comesAfter);
    }

    private String pair(int item) {
        return (item == stays ? StatementNames.ROWS : StatementNames.side(item)) + "." + StatementNames.PAIR;
    }

    private int first() {
        return IntStream.range(0, from.tables().size())
                .filter(from.from()::keeps)
                .findFirst()
                .orElse(FragmentedPlan.NOWHERE);
    }

    private String joined(QueryScope.Found column) {
        Optional<DeferredLookupJoin> after = lookups.stream()
                .filter(one ->
                        one.item() == column.item() && one.primary().equals(column.column()) && one.isFirst(lookups))
                .findFirst();
        if (after.isPresent()) {
            return joined(after.get().key());
        }
        if (column.item() == stays) {
            sent(column); // so that it is sent to a shuffle by this column
            return ColumnWriter.ofRows(column);
        }
        return StatementNames.side(column.item()) + "." + sent(column);
    }

    /** Returns the name of a column in its table's side, or in the stage's answer that has it. */
    private String sent(QueryScope.Found column) {
        if (column.item() >= QueryBlock.GIVEN) {
            return "c" + column.index();
        }
        List<String> columns = wanted.get(column.item());
        if (!columns.contains(column.column())) {
            columns.add(column.column());
        }
        return "c" + columns.indexOf(column.column());
    }

    private int place(QueryScope.Found column) {
        return Integer.parseInt(sent(column).substring(1));
    }

    FragmentedPlan query() {
        String distinct = asked.distinct() ? "DISTINCT " : "";
        // A late column is filled in when it has been fetched; until then it is 0.
        List<String> answers = asked.answers().stream()
                .map(scopedExpression -> isLate(scopedExpression.node()) ? "0" : merged.write(scopedExpression))
                .toList();
        List<String> shown = new ArrayList<>(answers);
        late.forEach(one -> shown.add(merged.write(one.key())));
        List<AfterGroups> after = afterGroups(shown);
        SqlNode condition = asked.having();
        String having = condition == null ? "" : " HAVING " + merged.write(condition);
        List<SqlNode> items =
                asked.answers().stream().map(ScopedExpression::node).toList();
        Ordering ordering = new Ordering(asked.order(), items, answers, asked.aliases(), merged, asked.grouped());
        String groups = partialAggregation.groups() > 0
                ? " GROUP BY " + String.join(", ", partialAggregation.groupColumns())
                : "";
        // The columns that the merge needs are complete only when everything else is written.
        String finish = "SELECT " + distinct + String.join(", ", shown) + " FROM "
                + partialAggregation.merged(StatementNames.PARTS) + groups + having + ordering.last();
        String partial = partial(asked.grouped() ? "" : distinct) + (asked.grouped() ? "" : ordering.first());
        boolean whole = from.tables().size() == 1
                && predicatePushdown.where().isEmpty()
                && from.items().size() == 1
                && predicatePushdown.own(from.items().get(0)).isEmpty()
                && having.isEmpty();
        // Rows that OFFSET skips, and groups that LIMIT or DISTINCT remove, contribute to no row of the answer.
        boolean each = asked.grouped()
                ? partialAggregation.groups() > 0
                        && partialAggregation.onePerGroup()
                        && !asked.distinct()
                        && !ordering.isLimited()
                : !ordering.skips();
        Optional<FragmentedPlan.Top> top = top(partial, having, ordering);
        List<Side> sides = sides();
        List<FragmentedPlan.Late> fetched = new ArrayList<>();
        for (LateMaterialization one : late) {
            fetched.add(one.fetched(answers.size() + fetched.size(), sides.get(one.item())));
        }
        after.forEach(one -> fetched.add(one.fetched(sides.get(one.lookup.item()))));
        return new FragmentedPlan(partial, top, finish, asked.titles(), stays, sides, whole, whole && each, fetched);
    }

    /** Late columns of a deferred table: the columns for these places, by the key in column {@code key}. */
    private record AfterGroups(DeferredLookupJoin lookup, int key, List<String> columns, List<Integer> places) {
        FragmentedPlan.Late fetched(Side side) {
            return LateMaterialization.fetched(lookup.item(), lookup.primary(), key, side, columns, places);
        }
    }

    /** Returns the deferred lookups in order. Their keys are added to the shown columns: from a group or from a table before. */
    private List<AfterGroups> afterGroups(List<String> shown) {
        List<AfterGroups> all = new ArrayList<>();
        for (DeferredLookupJoin deferredLookupJoin : lookups) {
            sent(new QueryScope.Found(deferredLookupJoin.item(), deferredLookupJoin.primary(), 0, true));
            int key = shown.size();
            Optional<AfterGroups> before = all.stream()
                    .filter(one -> one.lookup.item() == deferredLookupJoin.key().item())
                    .findFirst();
            shown.add(
                    before.isPresent()
                            ? "0"
                            : partialAggregation
                                    .group(joined(deferredLookupJoin.key()))
                                    .orElseThrow());
            before.ifPresent(one -> {
                one.columns.add(deferredLookupJoin.key().column());
                one.places.add(key);
            });
            AfterGroups one = new AfterGroups(deferredLookupJoin, key, new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < asked.answers().size(); i++) {
                ScopedExpression answer = asked.answers().get(i);
                Optional<QueryScope.Found> column = answer.names().column(answer.node());
                if (column.filter(this::isLate)
                        .filter(found -> found.item() == deferredLookupJoin.item())
                        .isPresent()) {
                    one.columns.add(column.get().column());
                    one.places.add(i);
                }
            }
            all.add(one);
        }
        return all;
    }

    private boolean isLate(SqlNode node) {
        Optional<QueryScope.Found> column = late.isEmpty() && lookups.isEmpty()
                ? Optional.empty()
                : from.names().column(node);
        return column.filter(this::isLate).isPresent();
    }

    private boolean isLate(QueryScope.Found column) {
        return late.stream().anyMatch(one -> one.has(column))
                || lookups.stream()
                        .anyMatch(one -> one.item() == column.item()
                                && !(one.isFirst(lookups) && one.primary().equals(column.column())));
    }

    /** Returns the statement for an actor that has all rows of its groups: it can drop groups that are not in the answer. */
    private Optional<FragmentedPlan.Top> top(String partial, String having, Ordering ordering) {
        // With DISTINCT more groups than LIMIT may be needed.
        boolean limited = ordering.isLimited() && !asked.distinct();
        if (stays < 0
                || partialAggregation.groups() == 0
                || !partialAggregation.onePerGroup()
                || (having.isEmpty() && !limited)) {
            return Optional.empty();
        }
        List<String> columns = new ArrayList<>(partialAggregation.again());
        if (limited) {
            columns.addAll(ordering.values());
        }
        String all = "SELECT " + String.join(", ", columns) + " FROM "
                + partialAggregation.merged("(" + partial + ") AS " + StatementNames.PARTS) + " GROUP BY "
                + String.join(", ", partialAggregation.groupColumns()) + having;
        String statement = limited
                ? "SELECT " + String.join(", ", partialAggregation.names()) + " FROM (" + all + ") AS tops"
                        + ordering.firstByValues()
                : all;
        return Optional.of(new FragmentedPlan.Top(statement, apart()));
    }

    /** Returns the columns of the stationary table that have one value per group. */
    private Set<String> apart() {
        Set<String> columns = new TreeSet<>();
        for (SqlNode group : asked.groups()) {
            from.names().column(group).filter(QueryScope.Found::exact).ifPresent(found -> {
                if (found.item() == stays) {
                    columns.add(found.column());
                }
                predicatePushdown.equalities().stream()
                        .filter(one -> one.left().equals(found) || one.right().equals(found))
                        .map(one -> one.other(found.item()))
                        .filter(other -> other.item() == stays && other.exact())
                        .forEach(other -> columns.add(other.column()));
            });
        }
        return columns;
    }

    private String partial(String distinct) {
        List<String> where = new ArrayList<>();
        if (stays >= 0) {
            predicatePushdown.own(stays).forEach(one -> where.add(rows.write(one)));
        }
        predicatePushdown.where().stream().filter(this::holds).forEach(one -> where.add(rows.write(one)));
        paired.stream().skip(1).forEach(item -> where.add("(" + pair(paired.get(0)) + " = " + pair(item) + ")"));
        // The FROM clause adds columns to the sides, so it is written before these are listed.
        String text = " FROM " + from(from.from(), where).orElseThrow() + SqlWriter.where(where);
        return "SELECT " + distinct + partialAggregation.columns() + text
                + (partialAggregation.groupNumbers().isEmpty()
                        ? ""
                        : " GROUP BY " + String.join(", ", partialAggregation.groupNumbers()));
    }

    /** Writes FROM; empty if only deferred tables remain. Conditions that lose their ON are added to WHERE. */
    private Optional<String> from(JoinTree joinTree, List<String> where) {
        if (joinTree instanceof JoinTree.Join join) {
            List<String> on = predicatePushdown.on(join).stream()
                    .filter(this::holds)
                    .map(rows::write)
                    .toList();
            Optional<String> left = from(join.left(), where);
            Optional<String> right = from(join.right(), where);
            if (left.isEmpty() || right.isEmpty()) {
                where.addAll(on);
                return left.isPresent() ? left : right;
            }
            String how = on.isEmpty() ? " CROSS JOIN " : join.outer() ? " LEFT JOIN " : " JOIN ";
            String text = left.get() + how + right.get();
            return Optional.of("(" + text + (on.isEmpty() ? "" : " ON " + String.join(" AND ", on)) + ")");
        }
        int number = ((JoinTree.Leaf) joinTree).item();
        if (number < QueryBlock.GIVEN) {
            return comesAfter(number)
                    ? Optional.empty()
                    : Optional.of(number == stays ? StatementNames.ROWS : StatementNames.side(number));
        }
        String relation = StatementNames.given(from.item(number).block());
        List<String> own = own(number);
        String answer = own.isEmpty()
                ? relation
                : "(SELECT * FROM " + relation + " AS " + StatementNames.GIVEN + SqlWriter.where(own) + ")";
        return Optional.of(answer + " AS " + StatementNames.side(number));
    }

    /** Returns an item's own conditions, as evaluated where its rows are. */
    private List<String> own(int item) {
        ColumnWriter alone =
                new ColumnWriter(from.names(), item < QueryBlock.GIVEN ? ColumnWriter.ALONE : ColumnWriter.GIVEN);
        return predicatePushdown.own(item).stream().map(alone::write).toList();
    }

    List<PredicatePushdown.Equality> equalities() {
        return predicatePushdown.equalities();
    }

    List<PredicatePushdown.Equality> partners() {
        return predicatePushdown.partners();
    }

    private List<Side> sides() {
        List<Side> sides = new ArrayList<>();
        for (int number = 0; number < from.tables().size(); number++) {
            List<String> own = new ArrayList<>(own(number));
            List<Reduction> reductions = new ArrayList<>();
            for (PredicatePushdown.Equality equality : predicatePushdown.equalities()) {
                if (equality.of(number).isEmpty() || equality.other(number).item() == stays) {
                    continue;
                }
                QueryScope.Found other = equality.other(number);
                boolean answer = other.item() >= QueryBlock.GIVEN;
                String relation = answer
                        ? StatementNames.given(from.item(other.item()).block()) + " AS " + StatementNames.GIVEN
                        : StatementNames.side(other.item());
                String in = ColumnWriter.ALONE.place(equality.of(number).get()) + " IN (SELECT " + sent(other)
                        + " FROM " + relation + ")";
                if (answer) {
                    own.add(in);
                } else {
                    reductions.add(new Reduction(
                            other.item(), in, place(equality.of(number).get()), place(other)));
                }
            }
            Item item = from.tables().get(number);
            sides.add(new Side(
                    item.alias(),
                    item.table(),
                    wanted.get(number),
                    own,
                    reductions,
                    present(number),
                    from.from().keeps(number),
                    constants(number),
                    intervals(number)));
        }
        return sides;
    }

    /** Returns the nullable columns that must equal the primary key of the stationary table. */
    private List<String> present(int item) {
        if (stays < 0) {
            return List.of();
        }
        List<PredicatePushdown.Equality> all = new ArrayList<>(predicatePushdown.equalities());
        predicatePushdown.partners().stream()
                .filter(one -> one.left().item() == stays)
                .forEach(all::add);
        return all.stream()
                .filter(one -> one.of(stays)
                        .filter(own -> from.item(stays).primary().contains(own.column()))
                        .isPresent())
                .map(one -> one.other(stays))
                .filter(other ->
                        other.item() == item && !from.item(item).primary().contains(other.column()))
                .map(QueryScope.Found::column)
                .distinct()
                .toList();
    }

    /** Returns the constants that conditions allow, by column of a table. */
    private Map<String, List<String>> constants(int item) {
        Map<String, List<String>> all = new TreeMap<>();
        for (ScopedExpression scopedExpression : predicatePushdown.own(item)) {
            ColumnValueSet.of(scopedExpression).ifPresent(found -> all.putIfAbsent(found.column(), found.values()));
        }
        return all;
    }

    /** Returns the ranges of whole numbers that conditions allow, by column of a table. */
    private Map<String, ColumnRange> intervals(int item) {
        Map<String, ColumnRange> all = new TreeMap<>();
        for (ScopedExpression scopedExpression : predicatePushdown.own(item)) {
            ColumnRange.of(scopedExpression).ifPresent(found -> all.merge(found.column(), found, ColumnRange::and));
        }
        return all;
    }
}
