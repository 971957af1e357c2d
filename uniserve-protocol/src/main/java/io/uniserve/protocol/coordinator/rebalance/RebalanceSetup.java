package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.env.BackgroundExecutor;
import java.util.List;

/** Rebalancing of a coordinator: limits, policy of moves, automatic copies, and the executor that runs the policies. */
public record RebalanceSetup(
        RebalanceConfig config, RebalancePolicy policy, ReplicationSetup copies, BackgroundExecutor background) {
    /** Rebalancing by moves alone. */
    public RebalanceSetup(RebalanceConfig config, RebalancePolicy policy, BackgroundExecutor background) {
        this(config, policy, ReplicationSetup.off(), background);
    }

    /** Without automatic rebalancing. */
    public static RebalanceSetup off(CoordinatorEnvironment env) {
        return new RebalanceSetup(RebalanceConfig.off(), cluster -> List.of(), BackgroundExecutor.on(env.timers()));
    }
}
