package io.uniserve.api.extra;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;

/**
 * An actor that can hold a consistent view while updates go on; needed for full serializability and for sessions. Operators run
 * on the view in place of this actor, several at a time, so it is of the class that they take. It is closed before this actor is.
 *
 * @param <S> the view: a class of its own, or that of the actor where operators take no other
 */
public interface SnapshotActor<S extends ActorView> extends Actor {
    /** The published state now, unchanged by later updates. Beyond the host's bound views are closed. */
    S snapshot();

    /**
     * True where snapshots share with each other, and with this actor, what did not change between them: then an old one is
     * taken to cost memory in proportion to later updates, else as much as the whole actor.
     */
    default boolean snapshotsShare() {
        return false;
    }
}
