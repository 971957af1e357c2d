package io.uniserve.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.live.PolicyMoves;
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

    private static final long SEED = 1;

    private RebalancePolicyFactory() {}

    /** Automatic copies of the policy; none unless it is {@code greedy}. */
    static ReplicationSetup copies(RebalanceSettings settings) {
        ReplicationSettings copies = settings.copies();
        return settings.policy().equals(GREEDY) && copies.isEnabled()
                ? ReplicationSetup.of(
                        new GreedyReplicationPolicy(copies.limits(), settings.tolerance()),
                        copies.coolDown().toNanos())
                : ReplicationSetup.off();
    }

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

    static RebalancePolicy of(RebalanceSettings settings) {
        if (settings.policy().equals(GREEDY) || settings.policy().equals(HOTTEST_FIRST)) {
            return new HottestFirstPolicy(settings.tolerance(), Limits.REBALANCE_PLAN_MOVES_MAX);
        }
        return new PolicyMoves(
                named(settings.policy()),
                settings.tolerance(),
                Limits.REBALANCE_PLAN_MOVES_MAX,
                2 * SECONDS_MAX * 1_000,
                RebalancePolicyFactory::effort);
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
