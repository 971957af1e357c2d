package io.uniserve.protocol.reader;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;

/** The routing as it is known here, and the means to learn a newer one. Callbacks come on the machine's own loop. */
public interface RoutingView {
    /** The newest routing seen. Cheap. */
    RouteIndex current();

    /**
     * Asks for the newest routing. The outcome tells that a routing fetched after this call has been taken in (it may be the
     * same as before), or why there is none. Requests of many queries may share one fetch.
     */
    void refresh(Completion<RouteIndex> completion);

    /** Runs the task once, after the next change of the routing. */
    Timers.Cancel onChange(Runnable changed);
}
