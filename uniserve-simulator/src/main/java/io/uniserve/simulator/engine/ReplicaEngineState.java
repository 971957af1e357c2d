package io.uniserve.simulator.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import org.jspecify.annotations.Nullable;

/** Engine state of one replica: the actor, its applied index, the published state, and the end of its last queued call. */
final class ReplicaEngineState {
    @Nullable
    Actor actor;

    /** The state by version; null unless the actor is of an atomic table. */
    @Nullable
    AtomicEngineState atomic;

    long appliedIndex;

    /** The number of the actor's state. */
    long state;

    long freeNanos;
    boolean broken;
    private boolean changed;
    private @Nullable ActorView seen;

    /** The actor; null if there is none or a failure has made it unusable. */
    @Nullable
    Actor usable() {
        return broken ? null : actor;
    }

    /** Marks that updates were applied, which gives the state this number. */
    void changed(long number) {
        changed = true;
        state = number;
    }

    boolean published() {
        return !changed;
    }

    /** Publishes all applied updates to readers, which gives the state this number. */
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
