package io.uniserve.testkit.simulation.check;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.gate.ReadGate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The read fence and I8 on servers. An answer whose request came after an acknowledgement at level ISR in epoch e must
 * come from a replica that has installed e or a later one: a replica of an earlier epoch was removed, and its lease was
 * waited for before the acknowledgement. What such a replica has logged but not yet applied may be missing from the
 * answer, unless the client's floor asks for it: that is the eventual level.
 */
public final class FenceCheck {
    private final Violations violations;
    private final Map<String, Long> installed = new TreeMap<>();
    private final Map<ReplicaKey, List<Ack>> acks = new TreeMap<>();

    public FenceCheck(Violations violations) {
        this.violations = violations;
    }

    /** A server publishes a gate; epoch 0 says that it has not read its disk yet. */
    public void published(String server, ReplicaKey key, ReadGate gate) {
        if (gate.epoch() == 0) {
            return;
        }
        Long before = installed.put(server + " " + key, gate.epoch());
        if (before != null && before > gate.epoch()) {
            violations.add("I8", server + " goes back from epoch " + before + " to " + gate.epoch() + " of " + key);
        }
    }

    /** An update at level ISR is acknowledged in this epoch. */
    public void acknowledged(String server, ReplicaKey key, long loggedEpoch, long nanos) {
        committed(key, Math.max(loggedEpoch, installed.getOrDefault(server + " " + key, 0L)), nanos);
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
        if (epoch < needed) {
            violations.add(
                    "FENCE",
                    server + " answers for " + key + " in epoch " + epoch
                            + " after an update was acknowledged by the ISR of epoch " + needed);
        }
    }

    private record Ack(long nanos, long epoch) {}
}
