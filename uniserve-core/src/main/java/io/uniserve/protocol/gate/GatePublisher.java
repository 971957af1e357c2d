package io.uniserve.protocol.gate;

import io.uniserve.model.ReplicaKey;

/** Where a server's loop publishes what its read workers may answer from. Production keeps a concurrent map. */
public interface GatePublisher {
    void publish(ReplicaKey key, ReadGate gate);

    void remove(ReplicaKey key);

    /** A newest committed version of a table whose updates are atomic, as far as this server knows; it never falls. */
    default void version(long tableId, long version) {}
}
