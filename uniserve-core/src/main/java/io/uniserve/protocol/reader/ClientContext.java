package io.uniserve.protocol.reader;

import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Ids;
import io.uniserve.protocol.env.Timers;

/**
 * What a client's machine may touch. Timers, network and routing call back on the machine's own loop; the rest is shared by
 * all machines of a client.
 */
public record ClientContext(
        Clock clock, Timers timers, ClientNetwork network, RoutingView routing, Ids ids, ClientState state) {}
