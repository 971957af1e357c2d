package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.placement.ScalingPolicy;
import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.ServerProvider;

/**
 * Automatic scaling of a coordinator.
 *
 * @param background executor of the policy, used by nothing else: a policy that hangs blocks it
 */
public record ScalingSetup(
        ScalingConfig config, ScalingPolicy policy, ServerProvider provider, BackgroundExecutor background) {}
