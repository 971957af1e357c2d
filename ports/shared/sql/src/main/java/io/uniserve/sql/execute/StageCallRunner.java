package io.uniserve.sql.execute;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.PartitionPruner;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.plan.UnsupportedFeatureChecker;
import io.uniserve.sql.rows.SqlRows;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Calls of one stage to the actors of its tables, with the lines of EXPLAIN that describe them. */
final class StageCallRunner {
    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final PlanContext context;
    private final Map<String, TableMeta> metas;
    private final List<String> steps;
    private final UnsupportedFeatureChecker unsupportedFeatures;
    private long stepStartNanos;

    /**
     * Starts the calls of a stage: the time of its first step counts from now.
     *
     * @param metas all tables, by their names in the query
     * @param told receives an EXPLAIN line per step
     * @param unsupportedFeatures refuses joins that the actors' engine lacks
     */
    StageCallRunner(
            RetrieveCall<SqlQuery, SqlRows> call,
            PlanContext context,
            Map<String, TableMeta> metas,
            List<String> told,
            UnsupportedFeatureChecker unsupportedFeatures) {
        this.call = call;
        this.context = context;
        this.metas = metas;
        this.steps = told;
        this.unsupportedFeatures = unsupportedFeatures;
        this.stepStartNanos = context.remainingNanos();
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
    List<SqlRows> retrieve(List<Side> sides, List<SqlQuery> steps) {
        return context.retrieveAll(
                call,
                steps.stream()
                        .map(step -> new PlanContext.RetrieveRequest<>(
                                name(sides.get(step.item())), actors(sides.get(step.item())), step))
                        .toList(),
                SqlRows::concat);
    }

    /** Calls the actors for one step. */
    SqlRows retrieve(Side side, SqlQuery step) {
        TableName table = name(side);
        Set<Integer> actors = actors(side);
        return actors.size() == context.actors(table).size()
                ? context.retrieve(table, call, step, SqlRows::concat)
                : context.retrieve(table, actors, call, step, SqlRows::concat);
    }

    /**
     * Calls the actors of a table for a step that reads co-located actors of other tables as well. Returns {@link SqlRows#NOT_COLOCATED} if
     * some of these are on other servers.
     */
    SqlRows retrieve(Side side, Collection<TableMeta> beside, SqlQuery step) {
        return context.retrieveColocated(
                meta(side), actors(side), beside, SqlRows.NOT_COLOCATED, call, step, StageCallRunner::concat);
    }

    /** Concatenates the parts, or returns ELSEWHERE if at least one part is that. */
    private static SqlRows concat(List<SqlRows> parts) {
        return parts.stream().filter(SqlRows::isNotColocated).findFirst().orElseGet(() -> SqlRows.concat(parts));
    }

    /** Returns the actors that can have rows for which the table's conditions hold: fewer than all if the conditions fix the key. */
    Set<Integer> actors(Side side) {
        TableMeta meta = meta(side);
        return PartitionPruner.actors(meta, side, context.actors(meta.name()));
    }

    /** True if all rows of a key are at one actor. In a table partitioned by time, each chunk has an actor for the key. */
    boolean hasWholeKeys(Side side) {
        return !(meta(side).partitioner() instanceof Partitioner.Time);
    }

    /** Returns the number of called actors, as text for EXPLAIN. */
    String describeActors(Side side) {
        return ExplainFormatter.formatActors(
                actors(side).size(), context.actors(name(side)).size(), side.table());
    }

    static String tableLabel(Side side) {
        return side.alias().equals(side.table()) ? side.table() : side.table() + " AS " + side.alias();
    }

    static String formatRowCount(long count) {
        return ExplainFormatter.formatRowCount(count);
    }

    /** Returns the server that plans the query, as text for EXPLAIN. */
    String localServer() {
        return ExplainFormatter.formatLocalServer(context);
    }

    /** Adds a heading for the EXPLAIN lines that follow. */
    void addHeading(String whose) {
        steps.add(whose);
    }

    /** Adds an EXPLAIN line for the work since the last call, and the statement that did it unless that is empty. */
    void addStep(String what, String statement) {
        long now = context.remainingNanos();
        steps.add(ExplainFormatter.formatStep(what, context.takeReadStats(), stepStartNanos - now));
        if (!statement.isEmpty()) {
            steps.add("    " + statement);
        }
        stepStartNanos = now;
    }
}
