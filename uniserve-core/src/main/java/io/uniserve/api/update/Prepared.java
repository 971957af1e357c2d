package io.uniserve.api.update;

/**
 * Prepared part of an {@link AtomicUpdate} on one actor. The host calls exactly one of the two methods, on the thread that updates the
 * actor; or neither, if it rebuilds the actor.
 *
 * <p>Errors: neither method should fail. After an exception the host rebuilds the actor from its checkpoint and log.
 */
public interface Prepared {
    /** Makes the update part of the actor. Everything that may fail must have happened in {@link AtomicUpdate#prepare}. */
    void commit();

    /** Drops the update without a trace. */
    void abort();
}
