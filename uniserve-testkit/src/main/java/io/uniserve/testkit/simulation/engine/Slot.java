package io.uniserve.testkit.simulation.engine;

import io.uniserve.api.Actor;
import org.jspecify.annotations.Nullable;

/** One replica's place in the engine: the actor, what it has applied, and until when its queue of calls is taken. */
final class Slot {
    @Nullable
    Actor actor;

    long appliedIndex;

    /** The number of the actor's state. */
    long state;

    long freeNanos;
    boolean broken;

    /** The actor if it may be used. */
    @Nullable
    Actor usable() {
        return broken ? null : actor;
    }
}
