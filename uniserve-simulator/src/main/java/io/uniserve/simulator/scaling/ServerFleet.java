package io.uniserve.simulator.scaling;

import io.uniserve.model.ServerId;

/** Servers that come and go, as the provider sees them. */
public interface ServerFleet {
    /** Makes a server and starts it. */
    void launch(ServerId id);

    /** Ends a server for ever, as by power off. */
    void terminate(ServerId id);
}
