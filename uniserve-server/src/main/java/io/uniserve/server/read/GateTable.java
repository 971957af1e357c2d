package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.GatePublisher;
import io.uniserve.protocol.reader.ReadGate;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The gates that the server's loop published last. Safe for use by several threads. */
public final class GateTable implements GatePublisher {
    private final ConcurrentHashMap<ReplicaKey, ReadGate> gates = new ConcurrentHashMap<>();

    @Override
    public void publish(ReplicaKey key, ReadGate gate) {
        gates.put(key, gate);
    }

    @Override
    public void remove(ReplicaKey key) {
        gates.remove(key);
    }

    /** The gate of this replica, null where the server has none. */
    @Nullable
    ReadGate find(ReplicaKey key) {
        return gates.get(key);
    }
}
