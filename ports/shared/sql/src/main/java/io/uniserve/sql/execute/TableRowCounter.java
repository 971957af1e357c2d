package io.uniserve.sql.execute;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.plan.SqlQuery.Step;
import io.uniserve.sql.rows.SqlColumn;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;

/** Counter of the rows that the conditions of a stage's tables leave, each by itself: cached counts, or counts of the actors. */
final class TableRowCounter {
    private final StageCallRunner actorCalls;
    private final CardinalityCache cardinalities;
    private final PlanContext context;
    private boolean usedCachedCount;
    private boolean ignoresCache;

    TableRowCounter(StageCallRunner actorCalls, CardinalityCache cardinalities) {
        this.actorCalls = actorCalls;
        this.cardinalities = cardinalities;
        this.context = actorCalls.context();
    }

    /** True if a cached count of an earlier query was used since {@link #ignoreCachedCounts}. */
    boolean usedCachedCount() {
        return usedCachedCount;
    }

    /** From now on all tables are counted at their actors. */
    void ignoreCachedCounts() {
        usedCachedCount = false;
        ignoresCache = true;
    }

    /** Counts one table at its actors, also if its count is cached. */
    long countAtActors(SqlQuery query, List<Side> sides, int item) {
        return counts(query, sides, List.of(item), true).get(0);
    }

    /** Returns the counts of several tables; those that are not cached are counted in parallel. */
    List<Long> counts(SqlQuery query, List<Side> sides, List<Integer> items) {
        return counts(query, sides, items, ignoresCache);
    }

    private List<Long> counts(SqlQuery query, List<Side> sides, List<Integer> items, boolean exactly) {
        Map<Integer, Long> all = new HashMap<>();
        List<Integer> unknown = new ArrayList<>();
        for (int item : items) {
            // A count that depends on other stages' answers differs per query.
            OptionalLong last = exactly || !countStep(query, item).answers().isEmpty()
                    ? OptionalLong.empty()
                    : cardinalities.count(
                            actorCalls.meta(sides.get(item)), sides.get(item).countStatement(), context.nanoTime());
            usedCachedCount |= last.isPresent();
            last.ifPresentOrElse(rows -> all.put(item, rows), () -> unknown.add(item));
        }
        List<SqlRows> answers = actorCalls.retrieve(
                sides, unknown.stream().map(item -> countStep(query, item)).toList());
        for (int i = 0; i < unknown.size(); i++) {
            int item = unknown.get(i);
            long rows = sum(answers.get(i).columns().get(0));
            all.put(item, rows);
            if (countStep(query, item).answers().isEmpty()) {
                cardinalities.record(
                        actorCalls.meta(sides.get(item)), sides.get(item).countStatement(), rows, context.nanoTime());
            }
        }
        return items.stream().map(item -> Objects.requireNonNull(all.get(item))).toList();
    }

    private static SqlQuery countStep(SqlQuery query, int item) {
        return query.withLookups(Set.of()).withStep(Step.COUNT, -1, item, Map.of());
    }

    private static long sum(SqlColumn counted) {
        long rows = 0;
        for (int row = 0; row < counted.count(); row++) {
            rows += Long.parseLong(String.valueOf(counted.text(row)));
        }
        return rows;
    }
}
