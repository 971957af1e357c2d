package io.uniserve.simulator.engine;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Gates that one start of a server has published. */
public final class SimGatePublisher implements GatePublisher {
    private final Map<ReplicaKey, ReadGate> gates = new TreeMap<>();
    private final Map<Long, Long> versions = new TreeMap<>();
    private final Map<Long, UncommittedClaim> claims = new TreeMap<>();
    private final BiConsumer<ReplicaKey, ReadGate> listener;

    /** @param tap listener to every published gate */
    public SimGatePublisher(BiConsumer<ReplicaKey, ReadGate> tap) {
        this.listener = tap;
    }

    @Override
    public void publish(ReplicaKey key, ReadGate gate) {
        gates.put(key, gate);
        listener.accept(key, gate);
    }

    @Override
    public void publishVersion(long tableId, long version) {
        versions.merge(tableId, version, Math::max);
    }

    /** The table's newest committed version that the server knows, 0 for none. */
    public long version(long tableId) {
        return versions.getOrDefault(tableId, 0L);
    }

    @Override
    public void publishClaim(long tableId, UncommittedClaim uncommittedClaim) {
        claims.put(tableId, uncommittedClaim);
    }

    /** The version of the table for which the server may claim now that it is not visible; 0 for none. */
    public long claimedVersion(long tableId, long nowNanos) {
        return claims.getOrDefault(tableId, UncommittedClaim.NONE).versionAt(version(tableId), nowNanos);
    }

    @Override
    public void remove(ReplicaKey key) {
        gates.remove(key);
    }

    /** All gates that are published now. */
    public Map<ReplicaKey, ReadGate> all() {
        return new TreeMap<>(gates);
    }

    /** The replica's gate; null if the server does not have the replica. */
    public @Nullable ReadGate of(ReplicaKey key) {
        return gates.get(key);
    }
}
