package io.uniserve.sql;

import io.uniserve.api.ColumnType.Kind;
import io.uniserve.api.Columns;
import io.uniserve.model.TableMeta;
import io.uniserve.sql.FragmentedPlan.Side;
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
final class JoinKeyPartitioning {
    /** Fewer rows are broadcast. */
    static final int ROWS_MIN = 1_000;

    private JoinKeyPartitioning() {}

    /**
     * Returns the columns that equal the key, by their tables' places in FROM.
     *
     * @param query with its stationary table
     */
    static Map<Integer, String> of(SqlQuery query, Function<Side, TableMeta> metas) {
        List<Side> sides = query.split().sides();
        TableMeta stays = metas.apply(sides.get(query.stays()));
        Map<Integer, String> keyed = new TreeMap<>();
        if (stays.partitioner().actors() < 2) {
            return keyed;
        }
        equal(query, metas).forEach(other -> keyed.putIfAbsent(other.item(), other.column()));
        return keyed;
    }

    /**
     * Returns tables that are partitioned like the stationary one, by their places in FROM: same partitioner, and the join equates both
     * keys. Rows that join are at actors of the same number.
     */
    static Set<Integer> alike(SqlQuery query, Function<Side, TableMeta> metas) {
        List<Side> sides = query.split().sides();
        TableMeta stays = metas.apply(sides.get(query.stays()));
        Set<Integer> alike = new TreeSet<>();
        for (QueryScope.Found other : equal(query, metas)) {
            TableMeta table = metas.apply(sides.get(other.item()));
            if (other.column().equals(table.keyField()) && table.partitioner().equals(stays.partitioner())) {
                alike.add(other.item());
            }
        }
        return alike;
    }

    /** Returns columns of other tables that equal the key of the stationary table, if both types compare as keys do. */
    private static List<QueryScope.Found> equal(SqlQuery query, Function<Side, TableMeta> metas) {
        List<Side> sides = query.split().sides();
        TableMeta stays = metas.apply(sides.get(query.stays()));
        List<PredicatePushdown.Equality> all = new ArrayList<>(query.equalities());
        query.partners().stream()
                .filter(one -> one.left().item() == query.stays())
                .forEach(all::add);
        List<QueryScope.Found> equal = new ArrayList<>();
        for (PredicatePushdown.Equality one : all) {
            one.of(query.stays())
                    .filter(own -> own.column().equals(stays.keyField()))
                    .map(own -> one.other(query.stays()))
                    .filter(other -> other.item() < QueryBlock.GIVEN
                            && other.item() != query.stays()
                            && comparable(stays, metas.apply(sides.get(other.item())), other.column()))
                    .ifPresent(equal::add);
        }
        return equal;
    }

    /** True if a table's key is a whole number; otherwise it is a text. */
    static boolean isWhole(TableMeta table) {
        return isWhole(kind(table, table.keyField()));
    }

    static boolean comparable(TableMeta stays, TableMeta other, String column) {
        Kind kind = kind(other, column);
        return isWhole(stays) ? isWhole(kind) : kind == Kind.VARCHAR;
    }

    private static boolean isWhole(Kind kind) {
        return kind == Kind.BIGINT || kind == Kind.INTEGER;
    }

    private static Kind kind(TableMeta table, String column) {
        return Columns.of(table).columns().stream()
                .filter(one -> one.name().equals(column))
                .findFirst()
                .orElseThrow()
                .type()
                .kind();
    }
}
