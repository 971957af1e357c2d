package io.uniserve.simulator.check;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.gate.ReadGate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Check of the read fence (FENCE), and of I8 on servers. Let an update be acknowledged at level ISR in epoch e. Each later request must be
 * answered by a replica that has installed epoch e or a later one. Replicas of earlier epochs were removed, and the acknowledgement waited
 * for the end of their leases.
 *
 * <p>If the update was logged in an earlier epoch, a replica that has applied it may answer too. An answer may omit an entry that its
 * replica has logged but not applied, unless the client's floor requires it: the eventual level permits that.
 */
public final class FenceCheck {
    private final ViolationCollector violations;
    /** The last published gate per replica of each server. */
    private final Map<String, ReadGate> gates = new TreeMap<>();

    private final Map<ReplicaKey, List<Ack>> acks = new TreeMap<>();
    private final Map<ReplicaKey, List<Late>> late = new TreeMap<>();

    public FenceCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /** Records a gate that a server publishes. Epoch 0 means that it has not read its disk yet. */
    public void onGatePublished(String server, ReplicaKey key, ReadGate gate) {
        if (gate.epoch() == 0) {
            return;
        }
        ReadGate before = gates.put(server + " " + key, gate);
        if (before != null && before.epoch() > gate.epoch()) {
            violations.add(
                    "I8", server + " goes back from epoch " + before.epoch() + " to " + gate.epoch() + " of " + key);
        }
    }

    /**
     * Records the acknowledgement of an update of level ISR that its primary logged in this epoch at this index. The answer to an update of
     * several actors may come late, when the primary already has a later epoch. Then the in-sync replicas may have got this part in an
     * earlier one.
     */
    public void onUpdateAcked(String server, ReplicaKey key, long loggedEpoch, long index, long nanos) {
        ReadGate gate = gates.get(server + " " + key);
        long epoch = gate == null ? 0 : gate.epoch();
        if (epoch <= loggedEpoch) {
            onAtomicCommitted(key, loggedEpoch, nanos);
        } else {
            late.computeIfAbsent(key, k -> new ArrayList<>()).add(new Late(nanos, epoch, loggedEpoch, index));
        }
    }

    /** Records the commit of an atomic update with rows in this actor, which has this epoch in the map. */
    public void onAtomicCommitted(ReplicaKey key, long epoch, long nanos) {
        List<Ack> steps = acks.computeIfAbsent(key, k -> new ArrayList<>());
        if (steps.isEmpty() || steps.get(steps.size() - 1).epoch < epoch) {
            steps.add(new Ack(nanos, epoch));
        }
    }

    /** Checks a linearizable answer to a request that was received at this time. */
    public void onReadAnswered(String server, ReplicaKey key, long epoch, long takenNanos) {
        long needed = 0;
        for (Ack ack : acks.getOrDefault(key, List.of())) {
            if (ack.nanos < takenNanos) {
                needed = Math.max(needed, ack.epoch);
            }
        }
        ReadGate gate = gates.get(server + " " + key);
        for (Late ack : late.getOrDefault(key, List.of())) {
            if (ack.nanos < takenNanos && !ack.isIn(gate)) {
                needed = Math.max(needed, ack.epoch);
            }
        }
        if (epoch < needed) {
            violations.add(
                    "FENCE",
                    server + " answers for " + key + " in epoch " + epoch
                            + " after an update was acknowledged by the ISR of epoch " + needed);
        }
    }

    private record Ack(long nanos, long epoch) {}

    /** Acknowledgement by a server with this epoch, for an entry of an earlier epoch. */
    private record Late(long nanos, long epoch, long loggedEpoch, long index) {
        /** True if the replica follows a primary of the entry's epoch or a later one, and has applied the entry. */
        private boolean isIn(@Nullable ReadGate gate) {
            return gate != null && gate.epoch() >= loggedEpoch && gate.appliedIndex() >= index;
        }
    }
}
