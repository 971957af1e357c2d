package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.scaling.ScalingSetup;
import io.uniserve.protocol.env.BackgroundExecutor;
import java.util.List;
import java.util.Optional;

/**
 * Placement policies of a coordinator: limits and policy of moves, automatic copies, servers of new chunks, and the executor that runs the
 * policies of moves and copies.
 *
 * @param chunks placement of new chunks; empty to place them as the actors of a new table
 * @param scaling automatic scaling; empty for none
 */
public record RebalanceSetup(
        RebalanceConfig config,
        RebalancePolicy policy,
        ReplicationSetup copies,
        Optional<ChunkSetup> chunks,
        Optional<ScalingSetup> scaling,
        BackgroundExecutor background) {
    /** Moves, automatic copies, and new chunks. */
    public RebalanceSetup(
            RebalanceConfig config,
            RebalancePolicy policy,
            ReplicationSetup copies,
            Optional<ChunkSetup> chunks,
            BackgroundExecutor background) {
        this(config, policy, copies, chunks, Optional.empty(), background);
    }

    /** The same with automatic scaling. */
    public RebalanceSetup with(ScalingSetup servers) {
        return new RebalanceSetup(config, policy, copies, chunks, Optional.of(servers), background);
    }

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
