package io.uniserve.testkit.simulation.check;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.gate.ReadGate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The read fence and I8 on servers. An answer whose request came after an acknowledgement at level ISR in epoch e must
 * come from a replica that has installed e or a later one: a replica of an earlier epoch was removed, and its lease was
 * waited for before the acknowledgement. Where the update was logged in an epoch before, a replica that has applied it may
 * answer too. What such a replica has logged but not yet applied may be missing from the answer, unless the client's floor
 * asks for it: that is the eventual level.
 */
public final class FenceCheck {
    private final Violations violations;
    /** Of the servers' replicas, as they published them last. */
    private final Map<String, ReadGate> gates = new TreeMap<>();

    private final Map<ReplicaKey, List<Ack>> acks = new TreeMap<>();
    private final Map<ReplicaKey, List<Late>> late = new TreeMap<>();

    public FenceCheck(Violations violations) {
        this.violations = violations;
    }

    /** A server publishes a gate; epoch 0 says that it has not read its disk yet. */
    public void published(String server, ReplicaKey key, ReadGate gate) {
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
     * An update at level ISR is acknowledged, which its primary logged in this epoch at this index. The answer to an update of
     * several actors may be late: all in sync had this part maybe in an earlier epoch than the primary has now.
     */
    public void acknowledged(String server, ReplicaKey key, long loggedEpoch, long index, long nanos) {
        ReadGate gate = gates.get(server + " " + key);
        long epoch = gate == null ? 0 : gate.epoch();
        if (epoch <= loggedEpoch) {
            committed(key, loggedEpoch, nanos);
        } else {
            late.computeIfAbsent(key, k -> new ArrayList<>()).add(new Late(nanos, epoch, loggedEpoch, index));
        }
    }

    /** An atomic update that has a part there is committed, and the actor has this epoch in the map. */
    public void committed(ReplicaKey key, long epoch, long nanos) {
        List<Ack> steps = acks.computeIfAbsent(key, k -> new ArrayList<>());
        if (steps.isEmpty() || steps.get(steps.size() - 1).epoch < epoch) {
            steps.add(new Ack(nanos, epoch));
        }
    }

    /** A linearizable answer is given for a request that was taken at this time. */
    public void answered(String server, ReplicaKey key, long epoch, long takenNanos) {
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

    /** Acknowledged by a server that had this epoch by then. */
    private record Late(long nanos, long epoch, long loggedEpoch, long index) {
        /** The replica follows a primary of the entry's epoch or a later one, and has applied it. */
        private boolean isIn(@Nullable ReadGate gate) {
            return gate != null && gate.epoch() >= loggedEpoch && gate.appliedIndex() >= index;
        }
    }
}
