package io.uniserve.sql.execute;

import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.ColocatedJoinSelector;
import io.uniserve.sql.plan.ColocatedSemiJoin;
import io.uniserve.sql.plan.ColocatedSubquerySelector;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.plan.SqlQuery.Step;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Co-located reads of a stage: the tables that are joined in place with the stationary table, and those of its sub-queries. */
final class ColocatedReadPlanner {
    private final StageCallRunner actorCalls;
    private final CardinalityCache cardinalities;
    /** Tables that are joined in place, by their places in FROM. */
    private Map<Integer, TableName> joined = Map.of();

    private boolean mayJoin = true;
    /** The stationary table if sub-queries are checked at its actors; negative if any table may stay. */
    private int subQueryTable = FragmentedPlan.NO_STATIONARY_ITEM;
    /** Approximate row counts of the checked sub-queries, by stage. */
    private Map<Integer, Long> subQueryRows = Map.of();

    ColocatedReadPlanner(StageCallRunner actorCalls, CardinalityCache known) {
        this.actorCalls = actorCalls;
        this.cardinalities = known;
    }

    void setSubQueries(int stays, Map<Integer, Long> rows) {
        subQueryTable = stays;
        subQueryRows = Map.copyOf(rows);
    }

    boolean hasSubQueries() {
        return !subQueryRows.isEmpty();
    }

    int subQueryTable() {
        return subQueryTable;
    }

    Map<Integer, TableName> joined() {
        return joined;
    }

    /** Disables co-located joins from here on: all tables are sent. */
    void disableColocatedJoins() {
        mayJoin = false;
    }

    /** Chooses the tables that are joined in place. */
    void chooseJoins(SqlQuery query, int stays, List<Long> counts) {
        SqlQuery staying = query.withStep(Step.PARTIAL, stays, Math.max(0, stays), Map.of());
        joined = stays >= 0 && mayJoin
                ? ColocatedJoinSelector.choose(
                        staying,
                        counts,
                        actorCalls::meta,
                        tablesOfSubQueries(query, staying.fragment().sides().get(stays)),
                        cardinalities,
                        actorCalls.context())
                : Map.of();
    }

    /** Returns the co-located tables that a step reads in addition to the stationary one. */
    List<TableMeta> tablesOf(SqlQuery step, Side stays) {
        boolean joins = step.step() == Step.PARTIAL || step.step() == Step.TOP;
        List<Side> sides = step.fragment().sides();
        return !joins
                ? List.of()
                : Stream.concat(
                                step.colocatedTables().keySet().stream().map(item -> actorCalls.meta(sides.get(item))),
                                tablesOfSubQueries(step, stays).stream())
                        .distinct()
                        .toList();
    }

    /** Returns the co-located tables that checked sub-queries read. */
    List<TableMeta> tablesOfSubQueries(SqlQuery query, Side stays) {
        return query.stage().checked().values().stream()
                .filter(name -> !name.equals(actorCalls.name(stays)))
                .map(actorCalls::meta)
                .distinct()
                .toList();
    }

    void recordNotColocated(SqlQuery step, Side stays) {
        tablesOf(step, stays)
                .forEach(other -> cardinalities.recordNotColocated(
                        actorCalls.meta(stays), other, actorCalls.context().nanoTime()));
    }

    void recordColocated(SqlQuery step, Side stays) {
        tablesOf(step, stays)
                .forEach(other -> cardinalities.recordColocated(
                        actorCalls.meta(stays), other, actorCalls.context().nanoTime()));
    }

    void addJoinStep(List<Side> sides, List<Long> counts) {
        joined.forEach((item, name) -> {
            Side side = sides.get(item);
            actorCalls.addStep(
                    "joined beside it: " + StageCallRunner.tableLabel(side) + ", about "
                            + StageCallRunner.formatRowCount(counts.get(item)),
                    side.colocatedStatement(name.value()));
        });
    }

    /** Adds EXPLAIN lines for the sub-queries that are checked in place. */
    void addSubQueryStep(SqlQuery query, Side stays) {
        query.stage().checked().forEach((number, table) -> {
            ColocatedSemiJoin sub = query.plan().colocatedSemiJoin(number);
            boolean same = sub.table().table().equalsIgnoreCase(stays.table());
            actorCalls.addStep(
                    "checked beside it: " + ColocatedSubquerySelector.label(query.plan(), number) + ", about "
                            + StageCallRunner.formatRowCount(subQueryRows.getOrDefault(number, 0L)),
                    same ? sub.statement() : sub.statement(table.value()));
        });
    }
}
