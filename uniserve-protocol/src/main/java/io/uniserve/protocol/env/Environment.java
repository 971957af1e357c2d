package io.uniserve.protocol.env;

/** All interfaces to the outside that a daemon's state machines may use. */
public record Environment(
        Clock clock,
        Timers timers,
        Network network,
        Registry registry,
        Disk disk,
        ObjectStore objects,
        EngineHost engine,
        IdGenerator ids) {
    /** The same with another registry and other durable storage. */
    public Environment with(Registry otherRegistry, ObjectStore otherObjects) {
        return new Environment(clock, timers, network, otherRegistry, disk, otherObjects, engine, ids);
    }
}
