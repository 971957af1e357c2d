package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.env.BackgroundExecutor;
import java.util.List;

/** Rebalancing of a coordinator: limits, policy, and the executor that runs the policy. */
public record RebalanceSetup(RebalanceConfig config, RebalancePolicy policy, BackgroundExecutor background) {
    /** Without automatic rebalancing. */
    public static RebalanceSetup off(CoordinatorEnvironment env) {
        return new RebalanceSetup(RebalanceConfig.off(), cluster -> List.of(), BackgroundExecutor.on(env.timers()));
    }
}
