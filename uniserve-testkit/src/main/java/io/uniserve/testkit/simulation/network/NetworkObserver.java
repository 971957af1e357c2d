package io.uniserve.testkit.simulation.network;

import io.uniserve.testkit.simulation.kernel.Process;

/** Sees every request as it is delivered and every reply as it is sent, for the checker. Changes nothing. */
public interface NetworkObserver {
    void request(Process from, Process to, Object request);

    void reply(Process from, Process to, Object request, Object reply);
}
