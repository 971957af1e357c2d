package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.env.BackgroundExecutor;
import java.util.List;
import java.util.Optional;

/**
 * Placement policies of a coordinator: limits and policy of moves, automatic copies, servers of new chunks, and the executor that runs the
 * policies of moves and copies.
 *
 * @param chunks placement of new chunks; empty to place them as the actors of a new table
 */
public record RebalanceSetup(
        RebalanceConfig config,
        RebalancePolicy policy,
        ReplicationSetup copies,
        Optional<ChunkSetup> chunks,
        BackgroundExecutor background) {
    /** Moves and automatic copies. */
    public RebalanceSetup(
            RebalanceConfig config, RebalancePolicy policy, ReplicationSetup copies, BackgroundExecutor background) {
        this(config, policy, copies, Optional.empty(), background);
    }

    /** Rebalancing by moves alone. */
    public RebalanceSetup(RebalanceConfig config, RebalancePolicy policy, BackgroundExecutor background) {
        this(config, policy, ReplicationSetup.off(), background);
    }

    /** Without automatic rebalancing. */
    public static RebalanceSetup off(CoordinatorEnvironment env) {
        return new RebalanceSetup(RebalanceConfig.off(), cluster -> List.of(), BackgroundExecutor.on(env.timers()));
    }
}
