package io.uniserve.protocol.coordinator;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What each actor's queries cost, over all its replicas, as servers tell it, smoothed once more: what the last report says
 * weighs half. Also its memory, the most that a replica takes.
 */
final class LoadAverages {
    private static final double PART = 0.5;

    private final TreeMap<ReplicaKey, Double> costs = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> memory = new TreeMap<>();

    /**
     * Takes in reports of all servers; who is told of no more is forgotten.
     *
     * @param moved actors of which a replica has just moved: what the old one cost is gone, and the new one has still to
     *     show it, so what they cost does not fall for now
     */
    void take(List<Load> reports, Predicate<ReplicaKey> moved) {
        TreeMap<ReplicaKey, Double> sums = new TreeMap<>();
        memory.clear();
        for (Load report : reports) {
            for (ReplicaLoad replica : report.replicas()) {
                double cost = replica.queryCostMillisPerSecond();
                sums.merge(replica.key(), cost > 0 && Double.isFinite(cost) ? cost : 0, Double::sum);
                memory.merge(replica.key(), Math.max(0, replica.memoryBytes()), Math::max);
            }
        }
        costs.keySet().retainAll(new TreeSet<>(sums.keySet()));
        sums.forEach((key, sum) -> costs.merge(key, sum, (before, now) -> {
            double next = before + PART * (now - before);
            return moved.test(key) ? Math.max(before, next) : next;
        }));
    }

    /** Milliseconds of CPU a second. */
    double cost(ReplicaKey key) {
        return costs.getOrDefault(key, 0.0);
    }

    /** Bytes of one replica, 0 where nobody told. */
    long memory(ReplicaKey key) {
        return memory.getOrDefault(key, 0L);
    }
}
