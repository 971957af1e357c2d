package io.uniserve.sql.plan;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Choice of co-located joins: tables that are joined in place, without sending rows. Their rows must be partitioned by the same rule as
 * those of the stationary table, both keys must be join columns, and a server must have both actors of each number.
 */
public final class ColocatedJoinSelector {
    /** Tables with fewer rows are sent instead: these rows reduce other tables before those are sent. */
    public static final int ROWS_MIN = 1_000;

    private ColocatedJoinSelector() {}

    /**
     * Returns the tables that are joined in place, by their places in FROM.
     *
     * @param query with its stationary table
     * @param counts rows per table that the table's own conditions leave
     * @param checked tables that co-located sub-queries read
     * @param known the cache that has co-location failures
     */
    public static Map<Integer, TableName> choose(
            SqlQuery query,
            List<Long> counts,
            Function<Side, TableMeta> metas,
            List<TableMeta> checked,
            CardinalityCache known,
            PlanContext context) {
        if (ShuffleQuery.hint(query.text()) != ShuffleQuery.Hint.NONE) {
            return Map.of();
        }
        List<Side> sides = query.fragment().sides();
        TableMeta stays = metas.apply(sides.get(query.stationaryItem()));
        Set<Integer> alike = new TreeSet<>();
        List<TableMeta> others = new ArrayList<>(checked);
        List<Integer> largestFirst = JoinKeyPartitioningSelector.colocatedItems(query, metas).stream()
                .filter(item -> !query.stage().after().contains(item))
                .sorted(Comparator.comparing(counts::get).reversed())
                .limit(Limits.BESIDE_TABLES_MAX - checked.size())
                .toList();
        for (int item : largestFirst) {
            TableMeta other = metas.apply(sides.get(item));
            if (counts.get(item) >= ROWS_MIN && !known.isNotColocated(stays, other, context.nanoTime())) {
                others.add(other);
                if (context.areColocated(stays, others)) {
                    alike.add(item);
                } else {
                    others.remove(others.size() - 1);
                }
            }
        }
        // A table that is not sent cannot reduce others. So it is sent if it would reduce a table that is larger than
        // itself.
        boolean fewer = true;
        while (fewer) {
            fewer = alike.removeIf(item -> IntStream.range(0, sides.size())
                    .anyMatch(other -> other != query.stationaryItem()
                            && !alike.contains(other)
                            && !query.stage().after().contains(other)
                            && counts.get(other) > counts.get(item)
                            && sides.get(other).reductions().stream().anyMatch(by -> by.side() == item)));
        }
        Map<Integer, TableName> names = new TreeMap<>();
        alike.forEach(item -> names.put(item, metas.apply(sides.get(item)).name()));
        return names;
    }
}
