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

/** Calls of one stage to the actors of its tables, with the lines of EXPLAIN that describe them. */
final class ActorCalls {
    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final PlanContext context;
    private final Map<String, TableMeta> metas;
    private final List<String> told;
    private final UnsupportedFeatureChecker unsupportedFeatures;
    private long since;

    /**
     * Starts the calls of a stage: the time of its first step counts from now.
     *
     * @param metas all tables, by their names in the query
     * @param told gets an EXPLAIN line per step
     * @param unsupportedFeatures refuses joins that the actors' engine lacks
     */
    ActorCalls(
            RetrieveCall<SqlQuery, SqlRows> call,
            PlanContext context,
            Map<String, TableMeta> metas,
            List<String> told,
            UnsupportedFeatureChecker unsupportedFeatures) {
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

    UnsupportedFeatureChecker unsupportedFeatures() {
        return unsupportedFeatures;
    }

    TableMeta meta(Side side) {
        return Objects.requireNonNull(metas.get(side.table()));
    }

    /** Returns the table with this name of the cluster, which the query must name. */
    TableMeta meta(TableName name) {
        return metas.values().stream()
                .filter(meta -> meta.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    TableName name(Side side) {
        return meta(side).name();
    }

    /** Calls the actors for several steps in parallel. */
    List<SqlRows> ask(List<Side> sides, List<SqlQuery> steps) {
        return context.retrieveAll(
                call,
                steps.stream()
                        .map(step -> new PlanContext.Asked<>(
                                name(sides.get(step.item())), actors(sides.get(step.item())), step))
                        .toList(),
                SqlRows::concat);
    }

    /** Calls the actors for one step. */
    SqlRows ask(Side side, SqlQuery step) {
        TableName table = name(side);
        Set<Integer> actors = actors(side);
        return actors.size() == context.actors(table).size()
                ? context.retrieve(table, call, step, SqlRows::concat)
                : context.retrieve(table, actors, call, step, SqlRows::concat);
    }

    /**
     * Calls the actors of a table for a step that reads co-located actors of other tables as well. Returns {@link SqlRows#ELSEWHERE} if
     * some of these are on other servers.
     */
    SqlRows ask(Side side, Collection<TableMeta> beside, SqlQuery step) {
        return context.retrieveBeside(
                meta(side), actors(side), beside, SqlRows.ELSEWHERE, call, step, ActorCalls::together);
    }

    /** Concatenates the parts, or returns ELSEWHERE if at least one part is that. */
    private static SqlRows together(List<SqlRows> parts) {
        return parts.stream().filter(SqlRows::isElsewhere).findFirst().orElseGet(() -> SqlRows.concat(parts));
    }

    /** Returns the actors that can have rows for which the table's conditions hold: fewer than all if the conditions fix the key. */
    Set<Integer> actors(Side side) {
        TableMeta meta = meta(side);
        return Pruning.actors(meta, side, context.actors(meta.name()));
    }

    /** Returns the number of called actors, as text for EXPLAIN. */
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

    /** Returns the server that plans the query, as text for EXPLAIN. */
    String here() {
        return ExplainFormatter.here(context);
    }

    /** Adds a heading for the EXPLAIN lines that follow. */
    void head(String whose) {
        told.add(whose);
    }

    /** Adds an EXPLAIN line for the work since the last call, and the statement that did it unless that is empty. */
    void tell(String what, String statement) {
        long now = context.remainingNanos();
        told.add(ExplainFormatter.of(what, context.taken(), since - now));
        if (!statement.isEmpty()) {
            told.add("    " + statement);
        }
        since = now;
    }
}
