package io.uniserve.runtime.transport.server;

import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.env.Timers;
import java.util.function.Consumer;

/** Source of routing maps. */
@FunctionalInterface
public interface RoutingSource {
    /**
     * Calls the listener with the present map at once, if there is one, and with every later one; each is complete. The listener must
     * not block; it is called by one thread at a time.
     */
    Timers.Cancel watch(Consumer<Routing> listener);
}
