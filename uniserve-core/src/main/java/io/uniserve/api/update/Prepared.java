package io.uniserve.api.update;

/**
 * What an {@link AtomicUpdate} has prepared. Exactly one of the two is called, later, or none where the actor is built anew;
 * both on the thread that changes the actor.
 */
public interface Prepared {
    /** Makes the update part of the actor. What can fail must have failed in prepare: after an error the actor is built anew. */
    void commit();

    /** Lets go of it without a trace. */
    void abort();
}
