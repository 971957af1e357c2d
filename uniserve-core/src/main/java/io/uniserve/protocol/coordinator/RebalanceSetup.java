package io.uniserve.protocol.coordinator;

import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.env.BackgroundExecutor;
import java.util.List;

/** How a coordinator keeps load even: when, by which policy, and where that computes. */
public record RebalanceSetup(RebalanceConfig config, RebalancePolicy policy, BackgroundExecutor background) {
    /** Nothing moves by itself. */
    public static RebalanceSetup off(CoordinatorEnvironment env) {
        return new RebalanceSetup(RebalanceConfig.off(), cluster -> List.of(), BackgroundExecutor.on(env.timers()));
    }
}
