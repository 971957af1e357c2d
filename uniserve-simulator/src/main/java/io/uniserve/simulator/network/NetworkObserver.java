package io.uniserve.simulator.network;

import io.uniserve.simulator.kernel.SimProcess;

/** Observer for the checker: every request at delivery and every reply at sending. It changes nothing. */
public interface NetworkObserver {
    void request(SimProcess from, SimProcess to, Object request);

    void reply(SimProcess from, SimProcess to, Object request, Object reply);
}
