package io.uniserve.api;

/**
 * An actor that can hold a consistent view while updates go on; needed for full serializability and for sessions. For
 * sessions the view must be an actor too, of the class that operators take: they run on it in place of this one, several at a
 * time. It is closed before this actor is, and never updated.
 *
 * @param <S> the view; closing it releases the reference
 */
public interface SnapshotActor<S extends AutoCloseable> extends Actor {
    /**
     * The published state now, unchanged by later updates. Where the view is an actor, its {@code usage} says what would be
     * freed if it were closed, as far as that is known, and rather more than less: what it shares with this actor's present
     * state does not count. Beyond the host's bound views are closed.
     */
    S snapshot();

    /**
     * True where snapshots share with each other, and with this actor, what did not change between them: then an old one is
     * taken to cost memory in proportion to later updates, else as much as the whole actor.
     */
    default boolean snapshotsShare() {
        return false;
    }
}
