package io.uniserve.protocol.coordinator.context;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;

/** The parts of an {@link Environment} that a coordinator uses. It has neither disk nor engine. */
public record CoordinatorEnvironment(Clock clock, Timers timers, Network network, Registry registry, IdGenerator ids) {
    /** The coordinator's part of a daemon's environment. */
    public static CoordinatorEnvironment of(Environment env) {
        return new CoordinatorEnvironment(env.clock(), env.timers(), env.network(), env.registry(), env.ids());
    }

    /** A copy with another registry. */
    public CoordinatorEnvironment with(Registry other) {
        return new CoordinatorEnvironment(clock, timers, network, other, ids);
    }
}
