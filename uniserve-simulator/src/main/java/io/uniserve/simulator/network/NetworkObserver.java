package io.uniserve.simulator.network;

import io.uniserve.simulator.kernel.Process;

/** Observer for the checker: every request at delivery and every reply at sending. It changes nothing. */
public interface NetworkObserver {
    void request(Process from, Process to, Object request);

    void reply(Process from, Process to, Object request, Object reply);
}
