package io.uniserve.sql;

import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.sql.FragmentedPlan.Side;
import io.uniserve.sql.SqlQuery.Step;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Co-located reads of a stage: the tables that are joined in place with the stationary table, and those of its sub-queries. */
final class ColocatedReads {
    private final ActorCalls actorCalls;
    private final CardinalityCache known;
    /** Tables that are joined in place, by their places in FROM. */
    private Map<Integer, TableName> joined = Map.of();

    private boolean mayJoin = true;
    /** The stationary table if sub-queries are checked at its actors; negative if any table may stay. */
    private int checkedAt = FragmentedPlan.NOWHERE;
    /** Approximate row counts of the checked sub-queries, by stage. */
    private Map<Integer, Long> checked = Map.of();

    ColocatedReads(ActorCalls actorCalls, CardinalityCache known) {
        this.actorCalls = actorCalls;
        this.known = known;
    }

    void checking(int stays, Map<Integer, Long> rows) {
        checkedAt = stays;
        checked = Map.copyOf(rows);
    }

    boolean checks() {
        return !checked.isEmpty();
    }

    int checkedAt() {
        return checkedAt;
    }

    Map<Integer, TableName> joined() {
        return joined;
    }

    /** Disables co-located joins from here on: all tables are sent. */
    void sendAll() {
        mayJoin = false;
    }

    /** Chooses the tables that are joined in place. */
    void choose(SqlQuery query, int stays, List<Long> counts) {
        SqlQuery staying = query.with(Step.PARTIAL, stays, Math.max(0, stays), Map.of());
        joined = stays >= 0 && mayJoin
                ? ColocatedJoin.of(
                        staying,
                        counts,
                        actorCalls::meta,
                        ofChecks(query, staying.split().sides().get(stays)),
                        known,
                        actorCalls.context())
                : Map.of();
    }

    /** Returns the co-located tables that a step reads beside the stationary one. */
    List<TableMeta> of(SqlQuery step, Side stays) {
        boolean joins = step.step() == Step.PARTIAL || step.step() == Step.TOP;
        List<Side> sides = step.split().sides();
        return !joins
                ? List.of()
                : Stream.concat(
                                step.beside().keySet().stream().map(item -> actorCalls.meta(sides.get(item))),
                                ofChecks(step, stays).stream())
                        .distinct()
                        .toList();
    }

    /** Returns the co-located tables that checked sub-queries read. */
    List<TableMeta> ofChecks(SqlQuery query, Side stays) {
        return query.stage().checked().values().stream()
                .filter(name -> !name.equals(actorCalls.name(stays)))
                .map(actorCalls::meta)
                .distinct()
                .toList();
    }

    void noteApart(SqlQuery step, Side stays) {
        of(step, stays)
                .forEach(other -> known.noteApart(
                        actorCalls.meta(stays), other, actorCalls.context().nanos()));
    }

    void noteTogether(SqlQuery step, Side stays) {
        of(step, stays)
                .forEach(other -> known.noteTogether(
                        actorCalls.meta(stays), other, actorCalls.context().nanos()));
    }

    void tellJoined(List<Side> sides, List<Long> counts) {
        joined.forEach((item, name) -> {
            Side side = sides.get(item);
            actorCalls.tell(
                    "joined beside it: " + ActorCalls.called(side) + ", about " + ActorCalls.rows(counts.get(item)),
                    side.beside(name.value()));
        });
    }

    /** Adds EXPLAIN lines for the sub-queries that are checked in place. */
    void tellChecked(SqlQuery query, Side stays) {
        query.stage().checked().forEach((number, table) -> {
            ColocatedSemiJoin sub = query.plan().checked(number);
            boolean same = sub.table().table().equalsIgnoreCase(stays.table());
            actorCalls.tell(
                    "checked beside it: " + SubqueryPlacement.called(query.plan(), number) + ", about "
                            + ActorCalls.rows(checked.getOrDefault(number, 0L)),
                    same ? sub.statement() : sub.statement(table.value()));
        });
    }
}
