package io.uniserve.api;

/**
 * An actor that can hold a consistent view while updates go on; needed for full serializability.
 *
 * @param <S> the view; closing it releases the reference
 */
public interface SnapshotActor<S extends AutoCloseable> extends Actor {
    /** The published state now, unchanged by later updates. */
    S snapshot();
}
