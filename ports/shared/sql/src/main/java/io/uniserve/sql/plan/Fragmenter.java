package io.uniserve.sql.plan;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.AggregateCatalog;
import io.uniserve.sql.plan.FragmentedPlan.Reduction;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.QueryBlock.Item;
import io.uniserve.sql.plan.QueryBlock.Output;
import io.uniserve.sql.plan.QueryBlock.Source;
import io.uniserve.sql.plan.write.ColumnWriter;
import io.uniserve.sql.plan.write.MergeWriter;
import io.uniserve.sql.plan.write.OrderByClause;
import io.uniserve.sql.plan.write.PartialAggregation;
import io.uniserve.sql.plan.write.PlainWriter;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.plan.write.SqlWriter;
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
    private final Source source;
    private final Output output;
    private final PredicatePushdown predicatePushdown;
    private final int stationaryItem;
    private List<Integer> pairedItems = List.of();
    /** Columns that the join needs per table, in the order in which they were found. */
    private final List<List<String>> wantedColumns = new ArrayList<>();

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
    Fragmenter(Map<Integer, QueryBlock> blocks, QueryBlock queryBlock, QueryStage stage, int stays) {
        source = queryBlock.source();
        output = queryBlock.output();
        List<ScopedExpression> where = new ArrayList<>(source.where());
        if (stage.reduced()) {
            queryBlock.reduction().ifPresent(where::add);
        }
        BitSet single = new BitSet();
        for (int item : source.items()) {
            QueryBlock answer = blocks.get(source.item(item).block());
            single.set(item, answer != null && answer.isSingleRow());
        }
        predicatePushdown =
                new PredicatePushdown(source, where, single, stage.checked().keySet());
        this.stationaryItem = stays < 0 ? first() : stays;
        if (this.stationaryItem >= source.tables().size()
                || (this.stationaryItem >= 0 && !source.from().keepsRows(this.stationaryItem))) {
            throw UniserveException.invalid("the table at place " + stays + " of FROM cannot stay in its place");
        }
        source.tables().forEach(item -> wantedColumns.add(new ArrayList<>()));
        // Holistic aggregates need the values of a group: late columns and deferred lookups would be missing among
        // them.
        boolean ungrouped = output.grouped() && needsAllRows(output);
        partialAggregation = new PartialAggregation(ungrouped);
        candidates = ungrouped
                ? List.of()
                : DeferredLookupJoin.candidates(source, output, predicatePushdown, this.stationaryItem);
        lookups = chosen(stage.after());
        boolean alone = this.stationaryItem == 0 && source.items().size() == 1;
        rows = new ColumnWriter(source.scope(), alone ? ColumnWriter.SINGLE_TABLE : this::joinedColumn);
        late = stage.late() && this.stationaryItem >= 0 && !ungrouped
                ? LateMaterialization.find(source, output, predicatePushdown, this.stationaryItem).stream()
                        .filter(one -> !stage.after().contains(one.item()))
                        .toList()
                : List.of();
        if (output.grouped()) {
            partialAggregation.addGroups(
                    output.groups().stream().filter(group -> !isLate(group)).toList(), rows);
            merged = new MergeWriter(partialAggregation, rows);
        } else {
            merged = new PlainWriter(partialAggregation, rows);
        }
    }

    private static boolean needsAllRows(Output asked) {
        return asked.selectItems().stream()
                        .anyMatch(scopedExpression -> AggregateCatalog.containsNotMergeable(scopedExpression.node()))
                || AggregateCatalog.containsNotMergeable(asked.having())
                || (asked.order() != null
                        && AggregateCatalog.containsNotMergeable(asked.order().getOrderList()));
    }

    /** Marks tables whose rows were already joined by an earlier shuffle: a row number identifies the rows of one result row. */
    Fragmenter withPairs(List<Integer> items) {
        pairedItems = List.copyOf(items);
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

    private boolean isLookup(int item) {
        return lookups.stream().anyMatch(one -> one.item() == item);
    }

    /** False for conditions on deferred tables: the lookup itself evaluates them. */
    private boolean holds(ScopedExpression condition) {
        return condition.names().items(condition.node()).stream().noneMatch(this::isLookup);
    }

    private String pair(int item) {
        return (item == stationaryItem ? StatementNaming.ROWS : StatementNaming.side(item)) + "."
                + StatementNaming.PAIR;
    }

    private int first() {
        return IntStream.range(0, source.tables().size())
                .filter(source.from()::keepsRows)
                .findFirst()
                .orElse(FragmentedPlan.NO_STATIONARY_ITEM);
    }

    private String joinedColumn(QueryScope.ColumnRef column) {
        Optional<DeferredLookupJoin> after = lookups.stream()
                .filter(one ->
                        one.item() == column.item() && one.primaryKey().equals(column.column()) && one.isFirst(lookups))
                .findFirst();
        if (after.isPresent()) {
            return joinedColumn(after.get().key());
        }
        if (column.item() == stationaryItem) {
            sentColumn(column); // so that it is sent to a shuffle by this column
            return ColumnWriter.ofRows(column);
        }
        return StatementNaming.side(column.item()) + "." + sentColumn(column);
    }

    /** Returns the name of a column in its table's side, or in the stage's answer that has it. */
    private String sentColumn(QueryScope.ColumnRef column) {
        if (column.item() >= QueryBlock.ANSWERS_FROM) {
            return "c" + column.index();
        }
        List<String> columns = wantedColumns.get(column.item());
        if (!columns.contains(column.column())) {
            columns.add(column.column());
        }
        return "c" + columns.indexOf(column.column());
    }

    private int sentIndex(QueryScope.ColumnRef column) {
        return Integer.parseInt(sentColumn(column).substring(1));
    }

    FragmentedPlan build() {
        String distinct = output.distinct() ? "DISTINCT " : "";
        // A late column is filled in when it has been fetched; until then it is 0.
        List<String> answers = output.selectItems().stream()
                .map(scopedExpression -> isLate(scopedExpression.node()) ? "0" : merged.write(scopedExpression))
                .toList();
        List<String> shown = new ArrayList<>(answers);
        late.forEach(one -> shown.add(merged.write(one.key())));
        List<LookupFetch> after = lookupFetches(shown);
        SqlNode condition = output.having();
        String having = condition == null ? "" : " HAVING " + merged.write(condition);
        List<SqlNode> items =
                output.selectItems().stream().map(ScopedExpression::node).toList();
        OrderByClause ordering =
                new OrderByClause(output.order(), items, answers, output.aliases(), merged, output.grouped());
        String groups = partialAggregation.groupCount() > 0
                ? " GROUP BY " + String.join(", ", partialAggregation.groupColumns())
                : "";
        // The columns that the merge needs are complete only when everything else is written.
        String finish = "SELECT " + distinct + String.join(", ", shown) + " FROM "
                + partialAggregation.mergeSource(StatementNaming.PARTS) + groups + having + ordering.mergeClause();
        String partial = partial(output.grouped() ? "" : distinct) + (output.grouped() ? "" : ordering.partialClause());
        boolean whole = source.tables().size() == 1
                && predicatePushdown.where().isEmpty()
                && source.items().size() == 1
                && predicatePushdown.conditionsOf(source.items().get(0)).isEmpty()
                && having.isEmpty();
        // Rows that OFFSET skips, and groups that LIMIT or DISTINCT remove, contribute to no row of the answer.
        boolean each = output.grouped()
                ? partialAggregation.groupCount() > 0
                        && partialAggregation.isOneRowPerGroup()
                        && !output.distinct()
                        && !ordering.isLimited()
                : !ordering.hasOffset();
        Optional<FragmentedPlan.Top> top = top(partial, having, ordering);
        List<Side> sides = sides();
        List<FragmentedPlan.LateColumns> fetched = new ArrayList<>();
        for (LateMaterialization one : late) {
            fetched.add(one.toLateColumns(answers.size() + fetched.size(), sides.get(one.item())));
        }
        after.forEach(one -> fetched.add(one.toLateColumns(sides.get(one.lookup.item()))));
        return new FragmentedPlan(
                partial, top, finish, output.titles(), stationaryItem, sides, whole, whole && each, fetched);
    }

    /** Late columns of a deferred table: the columns for these places, by the key in column {@code key}. */
    private record LookupFetch(DeferredLookupJoin lookup, int key, List<String> columns, List<Integer> places) {
        FragmentedPlan.LateColumns toLateColumns(Side side) {
            return LateMaterialization.toLateColumns(lookup.item(), lookup.primaryKey(), key, side, columns, places);
        }
    }

    /** Returns the deferred lookups in order. Their keys are added to the shown columns: from a group or from a table before. */
    private List<LookupFetch> lookupFetches(List<String> shown) {
        List<LookupFetch> all = new ArrayList<>();
        for (DeferredLookupJoin deferredLookupJoin : lookups) {
            sentColumn(new QueryScope.ColumnRef(deferredLookupJoin.item(), deferredLookupJoin.primaryKey(), 0, true));
            int key = shown.size();
            Optional<LookupFetch> before = all.stream()
                    .filter(one -> one.lookup.item() == deferredLookupJoin.key().item())
                    .findFirst();
            shown.add(
                    before.isPresent()
                            ? "0"
                            : partialAggregation
                                    .group(joinedColumn(deferredLookupJoin.key()))
                                    .orElseThrow());
            before.ifPresent(one -> {
                one.columns.add(deferredLookupJoin.key().column());
                one.places.add(key);
            });
            LookupFetch one = new LookupFetch(deferredLookupJoin, key, new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < output.selectItems().size(); i++) {
                ScopedExpression answer = output.selectItems().get(i);
                Optional<QueryScope.ColumnRef> column = answer.names().column(answer.node());
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
        Optional<QueryScope.ColumnRef> column = late.isEmpty() && lookups.isEmpty()
                ? Optional.empty()
                : source.scope().column(node);
        return column.filter(this::isLate).isPresent();
    }

    private boolean isLate(QueryScope.ColumnRef column) {
        return late.stream().anyMatch(one -> one.has(column))
                || lookups.stream()
                        .anyMatch(one -> one.item() == column.item()
                                && !(one.isFirst(lookups) && one.primaryKey().equals(column.column())));
    }

    /** Returns the statement for an actor that has all rows of its groups: it can drop groups that are not in the answer. */
    private Optional<FragmentedPlan.Top> top(String partial, String having, OrderByClause ordering) {
        // With DISTINCT more groups than LIMIT may be needed.
        boolean limited = ordering.isLimited() && !output.distinct();
        if (stationaryItem < 0
                || partialAggregation.groupCount() == 0
                || !partialAggregation.isOneRowPerGroup()
                || (having.isEmpty() && !limited)) {
            return Optional.empty();
        }
        List<String> columns = new ArrayList<>(partialAggregation.groupedColumns());
        if (limited) {
            columns.addAll(ordering.values());
        }
        String all = "SELECT " + String.join(", ", columns) + " FROM "
                + partialAggregation.mergeSource("(" + partial + ") AS " + StatementNaming.PARTS) + " GROUP BY "
                + String.join(", ", partialAggregation.groupColumns()) + having;
        String statement = limited
                ? "SELECT " + String.join(", ", partialAggregation.names()) + " FROM (" + all + ") AS tops"
                        + ordering.topClause()
                : all;
        return Optional.of(new FragmentedPlan.Top(statement, singleValueColumns()));
    }

    /** Returns the columns of the stationary table that have one value per group. */
    private Set<String> singleValueColumns() {
        Set<String> columns = new TreeSet<>();
        for (SqlNode group : output.groups()) {
            source.scope().column(group).filter(QueryScope.ColumnRef::exact).ifPresent(found -> {
                if (found.item() == stationaryItem) {
                    columns.add(found.column());
                }
                predicatePushdown.equalities().stream()
                        .filter(one -> one.left().equals(found) || one.right().equals(found))
                        .map(one -> one.other(found.item()))
                        .filter(other -> other.item() == stationaryItem && other.exact())
                        .forEach(other -> columns.add(other.column()));
            });
        }
        return columns;
    }

    private String partial(String distinct) {
        List<String> where = new ArrayList<>();
        if (stationaryItem >= 0) {
            predicatePushdown.conditionsOf(stationaryItem).forEach(one -> where.add(rows.write(one)));
        }
        predicatePushdown.where().stream().filter(this::holds).forEach(one -> where.add(rows.write(one)));
        pairedItems.stream()
                .skip(1)
                .forEach(item -> where.add("(" + pair(pairedItems.get(0)) + " = " + pair(item) + ")"));
        // The FROM clause adds columns to the sides, so it is written before these are listed.
        String text = " FROM " + from(source.from(), where).orElseThrow() + SqlWriter.where(where);
        return "SELECT " + distinct + partialAggregation.columns() + text
                + (partialAggregation.groupNumbers().isEmpty()
                        ? ""
                        : " GROUP BY " + String.join(", ", partialAggregation.groupNumbers()));
    }

    /** Writes FROM; empty if only deferred tables remain. Conditions that lose their ON are added to WHERE. */
    private Optional<String> from(JoinTree joinTree, List<String> where) {
        if (joinTree instanceof JoinTree.Join join) {
            List<String> on = predicatePushdown.conditionsOfJoin(join).stream()
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
        if (number < QueryBlock.ANSWERS_FROM) {
            return isLookup(number)
                    ? Optional.empty()
                    : Optional.of(number == stationaryItem ? StatementNaming.ROWS : StatementNaming.side(number));
        }
        String relation = StatementNaming.given(source.item(number).block());
        List<String> own = ownConditions(number);
        String answer = own.isEmpty()
                ? relation
                : "(SELECT * FROM " + relation + " AS " + StatementNaming.GIVEN + SqlWriter.where(own) + ")";
        return Optional.of(answer + " AS " + StatementNaming.side(number));
    }

    /** Returns an item's own conditions, as evaluated where its rows are. */
    private List<String> ownConditions(int item) {
        ColumnWriter alone = new ColumnWriter(
                source.scope(),
                item < QueryBlock.ANSWERS_FROM ? ColumnWriter.SINGLE_TABLE : ColumnWriter.SINGLE_ANSWER);
        return predicatePushdown.conditionsOf(item).stream().map(alone::write).toList();
    }

    List<PredicatePushdown.Equality> equalities() {
        return predicatePushdown.equalities();
    }

    List<PredicatePushdown.Equality> partners() {
        return predicatePushdown.outerEqualities();
    }

    private List<Side> sides() {
        List<Side> sides = new ArrayList<>();
        for (int number = 0; number < source.tables().size(); number++) {
            List<String> own = new ArrayList<>(ownConditions(number));
            List<Reduction> reductions = new ArrayList<>();
            for (PredicatePushdown.Equality equality : predicatePushdown.equalities()) {
                if (equality.columnOf(number).isEmpty()
                        || equality.other(number).item() == stationaryItem) {
                    continue;
                }
                QueryScope.ColumnRef other = equality.other(number);
                boolean answer = other.item() >= QueryBlock.ANSWERS_FROM;
                String relation = answer
                        ? StatementNaming.given(source.item(other.item()).block()) + " AS " + StatementNaming.GIVEN
                        : StatementNaming.side(other.item());
                String in = ColumnWriter.SINGLE_TABLE.nameOf(
                                equality.columnOf(number).get()) + " IN (SELECT " + sentColumn(other) + " FROM "
                        + relation
                        + ")";
                if (answer) {
                    own.add(in);
                } else {
                    reductions.add(new Reduction(
                            other.item(),
                            in,
                            sentIndex(equality.columnOf(number).get()),
                            sentIndex(other)));
                }
            }
            Item item = source.tables().get(number);
            sides.add(new Side(
                    item.alias(),
                    item.table(),
                    wantedColumns.get(number),
                    own,
                    reductions,
                    notNullColumns(number),
                    source.from().keepsRows(number),
                    constants(number),
                    ranges(number)));
        }
        return sides;
    }

    /** Returns the nullable columns that must equal the primary key of the stationary table. */
    private List<String> notNullColumns(int item) {
        if (stationaryItem < 0) {
            return List.of();
        }
        List<PredicatePushdown.Equality> all = new ArrayList<>(predicatePushdown.equalities());
        predicatePushdown.outerEqualities().stream()
                .filter(one -> one.left().item() == stationaryItem)
                .forEach(all::add);
        return all.stream()
                .filter(one -> one.columnOf(stationaryItem)
                        .filter(own -> source.item(stationaryItem).primaryKey().contains(own.column()))
                        .isPresent())
                .map(one -> one.other(stationaryItem))
                .filter(other ->
                        other.item() == item && !source.item(item).primaryKey().contains(other.column()))
                .map(QueryScope.ColumnRef::column)
                .distinct()
                .toList();
    }

    /** Returns the constants that conditions allow, by column of a table. */
    private Map<String, List<String>> constants(int item) {
        Map<String, List<String>> all = new TreeMap<>();
        for (ScopedExpression scopedExpression : predicatePushdown.conditionsOf(item)) {
            ColumnValueSet.of(scopedExpression).ifPresent(found -> all.putIfAbsent(found.column(), found.values()));
        }
        return all;
    }

    /** Returns the ranges of whole numbers that conditions allow, by column of a table. */
    private Map<String, ColumnRange> ranges(int item) {
        Map<String, ColumnRange> all = new TreeMap<>();
        for (ScopedExpression scopedExpression : predicatePushdown.conditionsOf(item)) {
            ColumnRange.of(scopedExpression)
                    .ifPresent(found -> all.merge(found.column(), found, ColumnRange::intersect));
        }
        return all;
    }
}
