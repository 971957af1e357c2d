package io.uniserve.protocol.coordinator;

import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.env.Background;
import java.util.List;

/** How a coordinator keeps load even: when, by which policy, and where that computes. */
public record Rebalancing(RebalanceConfig config, RebalancePolicy policy, Background background) {
    /** Nothing moves by itself. */
    public static Rebalancing off(CoordinatorEnvironment env) {
        return new Rebalancing(RebalanceConfig.off(), cluster -> List.of(), Background.on(env.timers()));
    }
}
