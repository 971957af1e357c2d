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
        Ids ids) {
    /** The same with another registry and durable storage. */
    public Environment with(Registry otherRegistry, ObjectStore otherObjects) {
        return new Environment(clock, timers, network, otherRegistry, disk, otherObjects, engine, ids);
    }
}
