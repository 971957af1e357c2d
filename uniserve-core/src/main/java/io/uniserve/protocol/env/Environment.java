package io.uniserve.protocol.env;

/** Everything a daemon's state machine may touch. */
public record Environment(
        Clock clock,
        Timers timers,
        Network network,
        Registry registry,
        Disk disk,
        ObjectStore objects,
        EngineHost engine,
        Ids ids) {}
