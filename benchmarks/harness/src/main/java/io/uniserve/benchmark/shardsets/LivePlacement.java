package io.uniserve.benchmark.shardsets;

import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.live.LiveNames;
import io.uniserve.placement.live.LivePlanner;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.policy.basic.StaticPolicy;
import io.uniserve.protocol.coordinator.rebalance.StatusInputBuilder;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;

/**
 * Contention and balance of a running cluster with one table, from the loads and shard sets that its servers report, as {@code place --live}
 * computes them.
 *
 * @param contention contention per query of a reported set: mean of the maximum number of its actors on one server; 1 is full parallelism
 * @param bound lower bound of the contention of a balanced placement
 * @param most largest load of a server relative to its fair share
 * @param least smallest load of a server relative to its fair share
 */
record LivePlacement(double contention, double bound, double most, double least) {
    /** Tolerance of a coordinator without a setting. */
    private static final double TOLERANCE = 0.2;

    /** Nothing is known. */
    static final LivePlacement UNKNOWN = new LivePlacement(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    /** Evaluates a status; {@link #UNKNOWN} unless every live server has reported its load. */
    static LivePlacement of(ClusterStatus status) {
        boolean complete = status.routing().servers().stream()
                .allMatch(server ->
                        status.loads().stream().anyMatch(load -> load.server().equals(server.id())));
        return complete ? of(StatusInputBuilder.of(status)) : UNKNOWN;
    }

    /** Evaluates a cluster. Sets of dropped tables do not count. */
    static LivePlacement of(LiveCluster cluster) {
        LivePlanner planner = new LivePlanner(
                new StaticPolicy(),
                TOLERANCE,
                ReplicationLimits.defaults(),
                0,
                ConstraintCatalog.standard(),
                0,
                () -> SearchBudget.unlimited(1),
                LiveNames.ids());
        PlacementProperties now = planner.plan(cluster, CopyTraffic.UNMEASURED).before();
        double queries = cluster.coAccessedActors().stream()
                .filter(set -> isOfTable(cluster, set))
                .mapToDouble(CoAccessedActors::perSecond)
                .sum();
        return new LivePlacement(now.contention() / queries, now.bound() / queries, now.largestLoad(), now.leastLoad());
    }

    private static boolean isOfTable(LiveCluster cluster, CoAccessedActors set) {
        return set.actors().stream()
                .anyMatch(key ->
                        cluster.actors().stream().anyMatch(actor -> actor.key().equals(key)));
    }
}
