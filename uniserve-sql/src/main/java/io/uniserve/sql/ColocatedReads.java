package io.uniserve.sql;

import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.sql.FragmentedPlan.Side;
import io.uniserve.sql.SqlQuery.Step;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a stage's actors read where they are: tables that are joined beside the one that stays, and those of sub-queries. */
final class ColocatedReads {
    private final ActorCalls actorCalls;
    private final CardinalityCache known;
    /** Tables that are joined where they are, by their places in FROM. */
    private Map<Integer, TableName> joined = Map.of();

    private boolean mayJoin = true;
    /** The table that stays where sub-queries are checked there; less than 0 where it may be any. */
    private int checkedAt = FragmentedPlan.NOWHERE;
    /** How many rows these have about, by their stages. */
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

    /** From here on tables are sent that could be joined where they are. */
    void sendAll() {
        mayJoin = false;
    }

    /** Looks which tables are joined where they are. */
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

    /** All tables that a step reads beside the one that stays. */
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

    /** Those of sub-queries. */
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

    /** Tells which sub-queries are checked where rows are. */
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
