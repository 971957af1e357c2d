package io.uniserve.runtime.transport;

import io.uniserve.model.Routing;
import io.uniserve.protocol.env.Timers;
import java.util.function.Consumer;

/** Where watchers of the routing map get it from. */
@FunctionalInterface
public interface RoutingSource {
    /**
     * Tells the listener the present state at once, if there is one, and every later one, each in whole. The listener must
     * not block; it is called by one thread at a time.
     */
    Timers.Cancel watch(Consumer<Routing> listener);
}
