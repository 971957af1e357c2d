package io.uniserve.protocol.gate;

import io.uniserve.model.ReplicaKey;

/** Where a server's loop publishes what its read workers may answer from. Production keeps a concurrent map. */
public interface GatePublisher {
    void publish(ReplicaKey key, ReadGate gate);

    void remove(ReplicaKey key);
}
