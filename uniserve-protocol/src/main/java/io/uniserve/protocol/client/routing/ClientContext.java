package io.uniserve.protocol.client.routing;

import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Timers;

/**
 * Environment of a client's state machines. Timers, network and routing call back on the machine's own loop. All machines of a client share
 * everything else.
 */
public record ClientContext(
        Clock clock, Timers timers, ClientNetwork network, RoutingView routing, IdGenerator ids, ClientState state) {}
