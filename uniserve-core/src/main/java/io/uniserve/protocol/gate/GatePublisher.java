package io.uniserve.protocol.gate;

import io.uniserve.model.ReplicaKey;

/** Where a server's loop publishes what its read workers may answer from. Production keeps a concurrent map. */
public interface GatePublisher {
    void publish(ReplicaKey key, ReadGate gate);

    void remove(ReplicaKey key);

    /** A newest committed version of a table whose updates are atomic, as far as this server knows; it never falls. */
    default void version(long tableId, long version) {}

    /**
     * A version of a table that this server drives and of which nobody can know that it is committed, until this time or until another
     * call or {@link #version} says otherwise, whichever comes first.
     */
    default void denies(long tableId, UncommittedClaim uncommittedClaim) {}
}
