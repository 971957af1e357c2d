package io.uniserve.sql.plan;

import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.AggregateCatalog;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.plan.write.SqlWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;

/**
 * Late columns of a table: the query only groups by them and returns them. If it also groups by the table's key, they do not change the
 * groups. So they are fetched only for the few rows that LIMIT leaves.
 *
 * @param item the table
 * @param key the expression of GROUP BY that equals the table's key
 * @param primaryKey the key's column
 * @param columns the late columns, in the order of the answer
 * @param answers the places of the late columns in the answer
 */
public record LateMaterialization(
        int item, SqlNode key, String primaryKey, List<String> columns, List<Integer> answers) {
    /** Tables with fewer wanted rows send all columns at once: another round takes longer. */
    public static final int TABLE_ROWS_MIN = 1_000;

    /** Answers with more rows get all columns at once. */
    static final int ANSWER_ROWS_MAX = 10_000;

    /** Returns the late columns of all tables except the stationary one. */
    static List<LateMaterialization> find(
            QueryBlock.Source from, QueryBlock.Output asked, PredicatePushdown predicatePushdown, int stays) {
        List<LateMaterialization> all = new ArrayList<>();
        if (!asked.grouped() || asked.distinct() || !isLimited(asked)) {
            return all;
        }
        BitSet used = usedItems(from.scope(), asked);
        for (int item = 0; item < from.tables().size(); item++) {
            QueryBlock.Item table = from.tables().get(item);
            if (item == stays
                    || used.get(item)
                    || table.primaryKey().size() != 1
                    || !from.from().keepsRows(item)) {
                continue;
            }
            String primary = table.primaryKey().get(0);
            Optional<SqlNode> key = key(from, asked, predicatePushdown, item, primary);
            if (key.isPresent()) {
                add(all, asked, item, key.get(), primary);
            }
        }
        return withoutKeys(from.scope(), all);
    }

    /** Removes columns that are the key of another table's late columns: they are needed at once. */
    private static List<LateMaterialization> withoutKeys(QueryScope queryScope, List<LateMaterialization> all) {
        Set<QueryScope.ColumnRef> keys = all.stream()
                .map(one -> queryScope.column(one.key).orElseThrow())
                .collect(Collectors.toSet());
        List<LateMaterialization> rest = new ArrayList<>();
        for (LateMaterialization one : all) {
            List<String> columns = new ArrayList<>();
            List<Integer> answers = new ArrayList<>();
            for (int i = 0; i < one.columns.size(); i++) {
                String column = one.columns.get(i);
                if (keys.stream()
                        .noneMatch(key -> key.item() == one.item && key.column().equals(column))) {
                    columns.add(column);
                    answers.add(one.answers.get(i));
                }
            }
            if (!columns.isEmpty()) {
                rest.add(new LateMaterialization(one.item, one.key, one.primaryKey, columns, answers));
            }
        }
        return rest;
    }

    static boolean isLimited(QueryBlock.Output asked) {
        return asked.order() != null
                && asked.order().getFetch() instanceof SqlLiteral limit
                && limit.getValue() instanceof BigDecimal rows
                && rows.compareTo(BigDecimal.valueOf(ANSWER_ROWS_MAX)) <= 0;
    }

    private static void add(
            List<LateMaterialization> all, QueryBlock.Output asked, int item, SqlNode key, String primary) {
        List<String> columns = new ArrayList<>();
        List<Integer> answers = new ArrayList<>();
        for (int i = 0; i < asked.selectItems().size(); i++) {
            Optional<QueryScope.ColumnRef> column = column(asked, i).filter(found -> found.item() == item);
            if (column.isPresent() && !column.get().column().equals(primary)) {
                columns.add(column.get().column());
                answers.add(i);
            }
        }
        if (!columns.isEmpty()) {
            all.add(new LateMaterialization(item, key, primary, columns, answers));
        }
    }

    private static Optional<QueryScope.ColumnRef> column(QueryBlock.Output asked, int answer) {
        ScopedExpression scopedExpression = asked.selectItems().get(answer);
        return scopedExpression.names().column(scopedExpression.node());
    }

    /** Returns the expression of GROUP BY that is the table's key, or equals it in every row. */
    private static Optional<SqlNode> key(
            QueryBlock.Source from,
            QueryBlock.Output asked,
            PredicatePushdown predicatePushdown,
            int item,
            String primary) {
        return asked.groups().stream()
                .filter(group -> from.scope()
                        .column(group)
                        .filter(QueryScope.ColumnRef::exact)
                        .filter(found -> found.item() < QueryBlock.ANSWERS_FROM
                                && from.item(found.item()).isComparable(found.column(), from.item(item), primary))
                        .filter(found -> (found.item() == item && found.column().equals(primary))
                                || predicatePushdown.equalities().stream()
                                        .anyMatch(one -> one.columnOf(item)
                                                        .filter(own -> own.exact()
                                                                && own.column().equals(primary))
                                                        .isPresent()
                                                && one.other(item).equals(found)))
                        .isPresent())
                .findFirst();
    }

    /** Returns the tables with columns that are used otherwise than as a column of the answer. */
    static BitSet usedItems(QueryScope queryScope, QueryBlock.Output asked) {
        BitSet used = new BitSet();
        for (int i = 0; i < asked.selectItems().size(); i++) {
            ScopedExpression scopedExpression = asked.selectItems().get(i);
            if (column(asked, i).isEmpty() && !onlyAggregates(scopedExpression.node())) {
                used.or(scopedExpression.names().items(scopedExpression.node()));
            }
        }
        asked.groups().stream()
                .filter(group -> queryScope.column(group).isEmpty())
                .forEach(group -> used.or(queryScope.items(group)));
        if (asked.having() != null) {
            used.or(queryScope.items(asked.having()));
        }
        if (asked.order() != null && asked.order().getOrderList() != null) {
            asked.order().getOrderList().forEach(node -> used.or(orderedItems(queryScope, asked, node)));
        }
        return used;
    }

    /** Operands of aggregates are computed at the actors. */
    private static boolean onlyAggregates(SqlNode node) {
        return AggregateCatalog.isAggregate(node);
    }

    private static BitSet orderedItems(QueryScope queryScope, QueryBlock.Output asked, SqlNode node) {
        if (node instanceof SqlCall call
                && (node.getKind() == SqlKind.DESCENDING
                        || node.getKind() == SqlKind.NULLS_FIRST
                        || node.getKind() == SqlKind.NULLS_LAST)) {
            return orderedItems(queryScope, asked, call.operand(0));
        }
        BitSet items = queryScope.items(node);
        if (node instanceof SqlLiteral place && place.getValue() instanceof BigDecimal number) {
            int answer = number.intValue() - 1;
            if (answer >= 0 && answer < asked.selectItems().size()) {
                ScopedExpression scopedExpression = asked.selectItems().get(answer);
                items.or(scopedExpression.names().items(scopedExpression.node()));
            }
        }
        // The name in ORDER BY may be an alias of the answer.
        IntStream.range(0, asked.titles().size())
                .filter(i -> node.toString().equalsIgnoreCase(asked.titles().get(i)))
                .mapToObj(i -> asked.selectItems().get(i))
                .filter(scopedExpression -> !onlyAggregates(scopedExpression.node()))
                .forEach(scopedExpression -> items.or(scopedExpression.names().items(scopedExpression.node())));
        return items;
    }

    boolean has(QueryScope.ColumnRef found) {
        return found.item() == item && columns.contains(found.column());
    }

    /**
     * Returns the fetch of these columns.
     *
     * @param place the column of the earlier answer that has the key
     * @param side the table's side, which has the key too
     */
    FragmentedPlan.LateColumns toLateColumns(int place, Side side) {
        return toLateColumns(item, primaryKey, place, side, columns, answers);
    }

    /** Returns the fetch of any columns, into these places of the answer. */
    static FragmentedPlan.LateColumns toLateColumns(
            int item, String primary, int place, Side side, List<String> columns, List<Integer> answers) {
        List<String> all = new ArrayList<>(side.columns());
        all.addAll(columns);
        List<String> where = new ArrayList<>(side.conditions());
        where.add("\"" + primary + "\" IN (SELECT c0 FROM " + StatementNaming.side(item) + ")");
        List<String> named = IntStream.range(0, all.size())
                .mapToObj(i -> "\"" + all.get(i) + "\" AS c" + i)
                .toList();
        String statement =
                "SELECT " + String.join(", ", named) + " FROM " + StatementNaming.ROWS + SqlWriter.where(where);
        return new FragmentedPlan.LateColumns(item, place, side.columns().indexOf(primary), answers, statement);
    }
}
