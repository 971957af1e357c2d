package io.uniserve.api;

/**
 * An actor that can hold a consistent view while updates go on; needed for full serializability and for sessions. For
 * sessions the view must be an actor too, of the class that operators take: they run on it in place of this one, several at a
 * time. It is closed before this actor is, and never updated.
 *
 * @param <S> the view; closing it releases the reference
 */
public interface SnapshotActor<S extends AutoCloseable> extends Actor {
    /** The published state now, unchanged by later updates. */
    S snapshot();
}
