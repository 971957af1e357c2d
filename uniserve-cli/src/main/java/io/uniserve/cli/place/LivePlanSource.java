package io.uniserve.cli.place;

import io.uniserve.cli.command.SolverJarLoader;
import io.uniserve.limit.Limits;
import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.constraint.MovesLimitConstraint;
import io.uniserve.placement.live.LivePlan;
import io.uniserve.placement.live.LivePlanner;
import io.uniserve.placement.live.PolicyMoves;
import io.uniserve.placement.live.StepwisePlanner;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.protocol.env.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Source of plans for a running cluster: the policies that {@code coordinator.rebalance.policy} can name, as the coordinator runs them.
 *
 * @param tolerance part of its fair share by which a server's load may differ
 * @param copiesMax maximum number of replicas that a policy may request, 0 or 1 for no copies
 * @param movesMax maximum new replicas of an accepted plan, negative for no maximum
 * @param seconds time limit of a search, 0 for one by the number of actors
 * @param graceSeconds time after the limit until a policy is abandoned
 */
record LivePlanSource(
        String policy, double tolerance, int copiesMax, int movesMax, long seed, double seconds, double graceSeconds) {
    /** Tolerance of a coordinator without a setting. */
    static final double TOLERANCE = 0.2;

    private static final String GREEDY = "greedy";
    private static final String HOTTEST_FIRST = "hottest-first";

    /** Source with this tolerance, and otherwise the settings of a coordinator that has none of its own. */
    static LivePlanSource of(String policy, double tolerance) {
        return new LivePlanSource(
                policy, tolerance, ReplicationLimits.defaults().copiesMax(), -1, 1, 0, PlaceOptions.GRACE_SECONDS);
    }

    /**
     * Runs the policy on the cluster.
     *
     * @throws io.uniserve.error.UniserveException INVALID_ARGUMENT for an unknown policy
     */
    LivePlan plan(LiveView view, Clock clock) {
        ReplicationLimits limits = limits();
        List<Constraint> constraints = new ArrayList<>(ConstraintCatalog.standard());
        if (movesMax >= 0) {
            constraints.add(new MovesLimitConstraint(movesMax));
        }
        if (policy.equals(GREEDY) || policy.equals(HOTTEST_FIRST)) {
            ReplicationPolicy copies = policy.equals(GREEDY) && copiesMax > 1
                    ? new GreedyReplicationPolicy(limits, tolerance)
                    : ReplicationPolicy.none();
            return stepwise(
                    new HottestFirstPolicy(tolerance, Limits.REBALANCE_PLAN_MOVES_MAX), copies, constraints, view);
        }
        SolverJarLoader.addToClassLoader();
        BalancePolicy named = PolicyCatalog.byName(policy);
        double limit = seconds > 0
                ? seconds
                : SearchBudget.secondsFor(view.cluster().actors().size());
        long hangMs = (long) ((limit + graceSeconds) * 1_000);
        Supplier<SearchBudget> effort = () -> {
            long start = clock.nanos();
            return new SearchBudget(seed, () -> clock.nanos() - start > limit * 1e9, limit);
        };
        if (!PolicyCatalog.isReplicating(policy) || copiesMax < 2) {
            RebalancePolicy moves = new PolicyMoves(named, tolerance, Limits.REBALANCE_PLAN_MOVES_MAX, hangMs, effort);
            return stepwise(moves, ReplicationPolicy.none(), constraints, view);
        }
        return new LivePlanner(
                        named,
                        tolerance,
                        limits,
                        Limits.REBALANCE_PLAN_MOVES_MAX,
                        constraints,
                        hangMs,
                        effort,
                        view.names())
                .plan(view.cluster(), CopyTraffic.UNMEASURED);
    }

    private LivePlan stepwise(
            RebalancePolicy moves, ReplicationPolicy copies, List<Constraint> constraints, LiveView view) {
        return new StepwisePlanner(moves, copies, tolerance, constraints, view.names())
                .plan(view.cluster(), CopyTraffic.UNMEASURED);
    }

    private ReplicationLimits limits() {
        ReplicationLimits usual = ReplicationLimits.defaults();
        return new ReplicationLimits(
                copiesMax,
                usual.growAbove(),
                usual.shrinkBelow(),
                usual.loadMin(),
                usual.bytesMax(),
                usual.horizonSeconds(),
                usual.cost());
    }
}
