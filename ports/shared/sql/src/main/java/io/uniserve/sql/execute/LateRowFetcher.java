package io.uniserve.sql.execute;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.DeferredLookupJoin;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.ShuffleQuery;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlColumn;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Fetch of late columns: the choice of tables that are looked up after the groups, and the merge of late columns into an answer. */
final class LateRowFetcher {
    private LateRowFetcher() {}

    /**
     * Returns the tables to look up after the groups, by their places in FROM. A table with versions is not among them: it is read once, at
     * one version.
     *
     * @param counts rows per table that the table's own conditions leave
     * @param known the cache that has lookups with missing rows
     */
    static Set<Integer> lookups(
            SqlQuery query, int stays, List<Long> counts, StageCallRunner actorCalls, CardinalityCache known) {
        if (ShuffleQuery.hint(query.text()) != ShuffleQuery.Hint.NONE) {
            return Set.of();
        }
        SqlQuery staying = query.withStep(SqlQuery.Step.PARTIAL, stays, stays, Map.of());
        List<FragmentedPlan.Side> sides = staying.fragment().sides();
        return DeferredLookupJoin.choose(staying.lookups(), counts, item -> {
            TableMeta table = actorCalls.meta(sides.get(item));
            return table.level() == ConsistencyLevel.EVENTUAL
                    && !known.hasMissingRows(table, actorCalls.context().nanoTime());
        });
    }

    /**
     * Returns the answer with the late columns filled in. Returns empty if a row changed since its other columns were read, or if a key has
     * no row. In the result all rows of the table are from one state, that of the later read.
     *
     * @param answer with zeros in place of the late columns
     * @param before the table's side of the earlier read, if it had one
     * @param fetched the columns of the side, followed by the late ones
     */
    static Optional<SqlRows> fill(
            SqlRows answer, FragmentedPlan.LateColumns late, Optional<SqlRows> before, SqlRows fetched) {
        Map<Object, Integer> now = rowsByKey(fetched.columns().get(late.keyInSide()));
        if (now.size() < fetched.count()) {
            return Optional.empty(); // not unique: this column is not a key
        }
        SqlColumn keys = answer.columns().get(late.key());
        int[] rows = new int[answer.count()];
        Map<Object, Integer> wanted = new HashMap<>();
        for (int row = 0; row < rows.length; row++) {
            Integer found = keys.isNull(row) ? null : now.get(value(keys, row));
            if (found == null) {
                return Optional.empty();
            }
            rows[row] = found;
            wanted.put(value(keys, row), found);
        }
        if (before.isPresent() && !same(before.get(), fetched, late.keyInSide(), wanted)) {
            return Optional.empty();
        }
        List<SqlColumn> columns = new ArrayList<>(answer.columns());
        int first = fetched.columns().size() - late.answers().size();
        for (int i = 0; i < late.answers().size(); i++) {
            columns.set(late.answers().get(i), fetched.columns().get(first + i).select(rows));
        }
        return Optional.of(new SqlRows(columns));
    }

    /** True if the side's columns of all wanted rows are unchanged. */
    private static boolean same(SqlRows before, SqlRows fetched, int key, Map<Object, Integer> wanted) {
        SqlColumn keys = before.columns().get(key);
        int known = 0;
        for (int row = 0; row < before.count(); row++) {
            Integer place = wanted.get(value(keys, row));
            if (place != null) {
                known++;
                for (int i = 0; i < before.columns().size(); i++) {
                    if (!Objects.equals(
                            before.columns().get(i).text(row),
                            fetched.columns().get(i).text(place))) {
                        return false;
                    }
                }
            }
        }
        return known == wanted.size();
    }

    private static Map<Object, Integer> rowsByKey(SqlColumn keys) {
        Map<Object, Integer> places = new HashMap<>();
        for (int row = 0; row < keys.count(); row++) {
            places.put(value(keys, row), row);
        }
        return places;
    }

    private static Object value(SqlColumn column, int row) {
        return column.isNumbers() && !column.isNull(row) ? column.number(row) : String.valueOf(column.text(row));
    }
}
