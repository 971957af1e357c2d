package io.uniserve.sql;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.sql.FragmentedPlan.Side;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** How one stage's steps reach the actors of its tables, and what is told of them. */
final class ActorCalls {
    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final PlanContext context;
    private final Map<String, TableMeta> metas;
    private final List<String> told;
    private final UnsupportedFeatures unsupportedFeatures;
    private long since;

    /**
     * Of a stage that begins now.
     *
     * @param metas of all tables, by their names in the query
     * @param told gets a line for each step
     * @param unsupportedFeatures what the actors' engine cannot do
     */
    ActorCalls(
            RetrieveCall<SqlQuery, SqlRows> call,
            PlanContext context,
            Map<String, TableMeta> metas,
            List<String> told,
            UnsupportedFeatures unsupportedFeatures) {
        this.call = call;
        this.context = context;
        this.metas = metas;
        this.told = told;
        this.unsupportedFeatures = unsupportedFeatures;
        this.since = context.remainingNanos();
    }

    PlanContext context() {
        return context;
    }

    UnsupportedFeatures unable() {
        return unsupportedFeatures;
    }

    TableMeta meta(Side side) {
        return Objects.requireNonNull(metas.get(side.table()));
    }

    /** Of a table that the query names, by its own name. */
    TableMeta meta(TableName name) {
        return metas.values().stream()
                .filter(meta -> meta.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    TableName name(Side side) {
        return meta(side).name();
    }

    /** Asks for several steps at the same time. */
    List<SqlRows> ask(List<Side> sides, List<SqlQuery> steps) {
        return context.retrieveAll(
                call,
                steps.stream()
                        .map(step -> new PlanContext.Asked<>(
                                name(sides.get(step.item())), actors(sides.get(step.item())), step))
                        .toList(),
                SqlRows::concat);
    }

    /** Asks for one step. */
    SqlRows ask(Side side, SqlQuery step) {
        TableName table = name(side);
        Set<Integer> actors = actors(side);
        return actors.size() == context.actors(table).size()
                ? context.retrieve(table, call, step, SqlRows::concat)
                : context.retrieve(table, actors, call, step, SqlRows::concat);
    }

    /** The same where it reads these tables beside; {@link SqlRows#ELSEWHERE} where not all is in one place. */
    SqlRows ask(Side side, Collection<TableMeta> beside, SqlQuery step) {
        return context.retrieveBeside(
                meta(side), actors(side), beside, SqlRows.ELSEWHERE, call, step, ActorCalls::together);
    }

    /** All parts, or that some could not be made. */
    private static SqlRows together(List<SqlRows> parts) {
        return parts.stream().filter(SqlRows::isElsewhere).findFirst().orElseGet(() -> SqlRows.concat(parts));
    }

    /** The actors that can have rows which the table's conditions leave: fewer than all where they fix the key. */
    Set<Integer> actors(Side side) {
        TableMeta meta = meta(side);
        return Pruning.actors(meta, side, context.actors(meta.name()));
    }

    /** How many those are, in words. */
    String asked(Side side) {
        return ExplainFormatter.actors(
                actors(side).size(), context.actors(name(side)).size(), side.table());
    }

    static String called(Side side) {
        return side.alias().equals(side.table()) ? side.table() : side.table() + " AS " + side.alias();
    }

    static String rows(long count) {
        return ExplainFormatter.rows(count);
    }

    /** The server that plans, in words. */
    String here() {
        return ExplainFormatter.here(context);
    }

    /** Tells whose rounds those after it are. */
    void head(String whose) {
        told.add(whose);
    }

    /** Tells what was done since this was called last, and by which statement, where there is one. */
    void tell(String what, String statement) {
        long now = context.remainingNanos();
        told.add(ExplainFormatter.of(what, context.taken(), since - now));
        if (!statement.isEmpty()) {
            told.add("    " + statement);
        }
        since = now;
    }
}
