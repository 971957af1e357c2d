package io.uniserve.protocol.gate;

import io.uniserve.model.ReplicaKey;

/**
 * Publisher of read gates: the server's event loop writes them, and read threads use them without the loop. Thread-safe in production, by a
 * concurrent map.
 */
public interface GatePublisher {
    void publish(ReplicaKey key, ReadGate gate);

    void remove(ReplicaKey key);

    /** Publishes the newest committed version of an atomic table that this server knows; it only grows. */
    default void publishVersion(long tableId, long version) {}

    /**
     * Publishes the claim that a version of this server's manager is not visible. It ends at its time limit, or with the next call of this
     * method or of {@link #publishVersion}.
     */
    default void publishClaim(long tableId, UncommittedClaim uncommittedClaim) {}
}
