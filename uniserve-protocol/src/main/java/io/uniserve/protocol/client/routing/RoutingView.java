package io.uniserve.protocol.client.routing;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;

/** This process's copy of the routing, and the means to refresh it. Callbacks run on the machine's own loop. */
public interface RoutingView {
    /** The newest routing received. Cheap. */
    RouteIndex current();

    /**
     * Fetches the newest routing. The completion gets a routing that was fetched after this call, which may equal the one before, or an
     * error. Several queries may share one fetch.
     */
    void refresh(Completion<RouteIndex> completion);

    /** Runs the task once, after the next change of the routing. */
    Timers.Cancel onChange(Runnable changed);
}
