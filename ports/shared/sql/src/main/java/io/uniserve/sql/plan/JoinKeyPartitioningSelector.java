package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.write.QueryScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Choice of tables whose rows are sent by key: the join equates one of their columns with the key of the stationary table. An actor then
 * gets only the rows with its own keys.
 */
public final class JoinKeyPartitioningSelector {
    /** Fewer rows are broadcast. */
    public static final int ROWS_MIN = 1_000;

    private JoinKeyPartitioningSelector() {}

    /**
     * Returns the columns that equal the key, by their tables' places in FROM.
     *
     * @param query with its stationary table
     */
    public static Map<Integer, String> keyColumns(SqlQuery query, Function<Side, TableMeta> metas) {
        List<Side> sides = query.fragment().sides();
        TableMeta stays = metas.apply(sides.get(query.stationaryItem()));
        Map<Integer, String> keyed = new TreeMap<>();
        if (stays.partitioner().actors() < 2) {
            return keyed;
        }
        equalColumns(query, metas).forEach(other -> keyed.putIfAbsent(other.item(), other.column()));
        return keyed;
    }

    /**
     * Returns tables that are partitioned like the stationary one, by their places in FROM: same partitioner, and the join equates both
     * keys. Rows that join are at actors of the same number.
     */
    static Set<Integer> colocatedItems(SqlQuery query, Function<Side, TableMeta> metas) {
        List<Side> sides = query.fragment().sides();
        TableMeta stays = metas.apply(sides.get(query.stationaryItem()));
        Set<Integer> alike = new TreeSet<>();
        for (QueryScope.ColumnRef other : equalColumns(query, metas)) {
            TableMeta table = metas.apply(sides.get(other.item()));
            if (other.column().equals(table.keyField())
                    && table.partitioner().equals(stays.partitioner())
                    && !(table.partitioner() instanceof Partitioner.Time)) {
                alike.add(other.item());
            }
        }
        return alike;
    }

    /** Returns columns of other tables that equal the key of the stationary table, if both types compare as keys do. */
    private static List<QueryScope.ColumnRef> equalColumns(SqlQuery query, Function<Side, TableMeta> metas) {
        List<Side> sides = query.fragment().sides();
        TableMeta stays = metas.apply(sides.get(query.stationaryItem()));
        List<PredicatePushdown.Equality> all = new ArrayList<>(query.equalities());
        query.outerEqualities().stream()
                .filter(one -> one.left().item() == query.stationaryItem())
                .forEach(all::add);
        List<QueryScope.ColumnRef> equal = new ArrayList<>();
        for (PredicatePushdown.Equality one : all) {
            one.columnOf(query.stationaryItem())
                    .filter(own -> own.column().equals(stays.keyField()))
                    .map(own -> one.other(query.stationaryItem()))
                    .filter(other -> other.item() < QueryBlock.ANSWERS_FROM
                            && other.item() != query.stationaryItem()
                            && isComparable(stays, metas.apply(sides.get(other.item())), other.column()))
                    .ifPresent(equal::add);
        }
        return equal;
    }

    /** True if a table's key is a whole number; otherwise it is a text. */
    public static boolean isInteger(TableMeta table) {
        return isInteger(kind(table, table.keyField()));
    }

    static boolean isComparable(TableMeta stays, TableMeta other, String column) {
        Kind kind = kind(other, column);
        return isInteger(stays) ? isInteger(kind) : kind == Kind.VARCHAR;
    }

    private static boolean isInteger(Kind kind) {
        return kind == Kind.BIGINT || kind == Kind.INTEGER;
    }

    private static Kind kind(TableMeta table, String column) {
        return ColumnSchema.of(table).columns().stream()
                .filter(one -> one.name().equals(column))
                .findFirst()
                .orElseThrow()
                .type()
                .kind();
    }
}
