package io.uniserve.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.live.LiveNames;
import io.uniserve.placement.live.LivePlanner;
import io.uniserve.placement.live.PolicyMoves;
import io.uniserve.placement.live.WholeAnswerPolicy;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.timeorder.ChunkPolicies;
import io.uniserve.protocol.coordinator.rebalance.ChunkSetup;
import io.uniserve.protocol.coordinator.rebalance.ReplicationSetup;
import io.uniserve.runtime.config.RebalanceSettings;
import io.uniserve.runtime.config.ReplicationSettings;
import io.uniserve.runtime.time.SystemClock;

/** Policies that {@code coordinator.rebalance.policy} can name. */
final class RebalancePolicyFactory {
    /** Moves of replicas and copies of hot actors. */
    private static final String GREEDY = "greedy";

    /** Moves of replicas. */
    private static final String HOTTEST_FIRST = "hottest-first";

    /** Time for a search, after which it should end. After twice this time it is abandoned. */
    private static final long SECONDS_MAX = 10;

    private static final long HANG_MS = 2 * SECONDS_MAX * 1_000;

    private static final long SEED = 1;

    private RebalancePolicyFactory() {}

    /** Placement of new chunks. Fails with INVALID_CONFIGURATION for an unknown policy. */
    static ChunkSetup chunks(RebalanceSettings settings) {
        try {
            return new ChunkSetup(
                    settings.chunks(),
                    ChunkPolicies.byName(settings.chunks()),
                    settings.chunkLoads().toNanos());
        } catch (UniserveException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, "uniserve.coordinator.placement.chunks: " + e.reason(), e);
        }
    }

    /**
     * Policies of moves and of automatic copies.
     *
     * @param copies off unless the policy changes the number of replicas and the settings permit it
     */
    record Policies(RebalancePolicy moves, ReplicationSetup copies) {}

    /** Policies by the settings. Fails with INVALID_CONFIGURATION for an unknown policy, or a class that is none. */
    static Policies of(RebalanceSettings settings) {
        String name = settings.policy();
        ReplicationSettings copies = settings.copies();
        if (name.equals(GREEDY) || name.equals(HOTTEST_FIRST)) {
            boolean copying = name.equals(GREEDY) && copies.isEnabled();
            return new Policies(
                    new HottestFirstPolicy(settings.tolerance(), Limits.REBALANCE_PLAN_MOVES_MAX),
                    copying
                            ? setup(new GreedyReplicationPolicy(copies.limits(), settings.tolerance()), copies)
                            : ReplicationSetup.off());
        }
        if (!PolicyCatalog.isReplicating(name) || !copies.isEnabled()) {
            return new Policies(
                    new PolicyMoves(
                            named(name),
                            settings.tolerance(),
                            Limits.REBALANCE_PLAN_MOVES_MAX,
                            HANG_MS,
                            RebalancePolicyFactory::effort),
                    ReplicationSetup.off());
        }
        WholeAnswerPolicy whole = new WholeAnswerPolicy(new LivePlanner(
                named(name),
                settings.tolerance(),
                copies.limits(),
                Limits.REBALANCE_PLAN_MOVES_MAX,
                ConstraintCatalog.standard(),
                HANG_MS,
                RebalancePolicyFactory::effort,
                LiveNames.ids()));
        return new Policies(whole, setup(whole, copies));
    }

    private static ReplicationSetup setup(ReplicationPolicy policy, ReplicationSettings copies) {
        return ReplicationSetup.of(policy, copies.coolDown().toNanos());
    }

    private static BalancePolicy named(String name) {
        try {
            return PolicyCatalog.byName(name);
        } catch (UniserveException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.coordinator.rebalance.policy: " + e.reason() + "; or use " + HOTTEST_FIRST,
                    e);
        }
    }

    private static SearchBudget effort() {
        long end = SystemClock.INSTANCE.nanos() + SECONDS_MAX * 1_000_000_000L;
        return new SearchBudget(SEED, () -> SystemClock.INSTANCE.nanos() - end >= 0, SECONDS_MAX);
    }
}
