package io.uniserve.testkit.simulation.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import org.jspecify.annotations.Nullable;

/**
 * One replica's place in the engine: the actor, what it has applied, what of that readers see, and until when its queue of
 * calls is taken.
 */
final class Slot {
    @Nullable
    Actor actor;

    /** Of an atomic table's actor. */
    @Nullable
    AtomicSlot atomic;

    long appliedIndex;

    /** The number of the actor's state. */
    long state;

    long freeNanos;
    boolean broken;
    private boolean changed;
    private @Nullable ActorView seen;

    /** The actor if it may be used. */
    @Nullable
    Actor usable() {
        return broken ? null : actor;
    }

    /** Updates were applied; the state has this number now. */
    void changed(long number) {
        changed = true;
        state = number;
    }

    boolean published() {
        return !changed;
    }

    /** Lets readers see what is applied, and no more; the state has this number now. */
    void publish(long number) {
        state = number;
        if (actor != null) {
            actor.publish();
        }
        seen = actor instanceof SnapshotActor<?> able ? able.snapshot() : actor;
        changed = false;
    }

    @Nullable
    ActorView seen() {
        return seen;
    }
}
