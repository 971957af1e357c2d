package io.uniserve.coordinator;

import io.uniserve.protocol.coordinator.scaling.ScalingSetup;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.loop.EventLoop;
import java.util.Optional;

/** Policy, provider and executor of the auto-scaler, which the daemon closes. */
record ScalingResources(ScalingSetup setup, Runnable closeProvider, PolicyExecutor policies) implements AutoCloseable {
    /** The resources for these settings; empty if scaling is off. */
    static Optional<ScalingResources> of(Settings settings, EventLoop loop) {
        if (!settings.coordinator().scaling().isEnabled()) {
            return Optional.empty();
        }
        PolicyExecutor policies = new PolicyExecutor("uniserve-scaling", loop);
        ScalingFactory.Provider provider = ScalingFactory.provider(settings, loop);
        ScalingSetup setup = new ScalingSetup(
                settings.coordinator().scaling().config(),
                ScalingFactory.policy(settings.coordinator().scaling()),
                provider.calls(),
                policies);
        return Optional.of(new ScalingResources(setup, provider.close(), policies));
    }

    @Override
    public void close() {
        policies.close();
        closeProvider.run();
    }
}
