package io.uniserve.sql;

import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.api.extra.Columns;
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
 * Which tables' rows need not be sent to every actor of the table that stays: those that a join wants to equal its key. An actor
 * has rows with its own keys only.
 */
final class JoinKeyPartitioning {
    /** Fewer rows are sent to all as they are. */
    static final int ROWS_MIN = 1_000;

    private JoinKeyPartitioning() {}

    /**
     * By the tables' places in FROM the columns that equal the key.
     *
     * @param query with the table that stays
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
     * The tables of which each row that is joined is at the actor with the number of the one where it is joined: those with the
     * same partitioner whose own key equals the key of the table that stays. By their places in FROM.
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

    /** The columns of other tables that equal the key of the table that stays, where both are compared as keys are. */
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

    /** Whether a table's key is a whole number; else it is a text. */
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
