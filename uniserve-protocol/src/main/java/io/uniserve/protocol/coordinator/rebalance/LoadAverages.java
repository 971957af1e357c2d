package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Smoothed query cost per actor, summed over its replicas, its memory, and its size. Costs come from the servers' reports; a new report has a weight
 * of one half. The memory is the maximum over the replicas.
 */
final class LoadAverages {
    private static final double NEW_WEIGHT = 0.5;

    private final TreeMap<ReplicaKey, Double> costs = new TreeMap<>();
    private TreeMap<ReplicaKey, Double> newest = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> memory = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> bytes = new TreeMap<>();

    /**
     * Adds the reports of all servers. Actors without a report are removed.
     *
     * @param moved actors of which a replica has just moved. The cost of the old replica is gone, and the new one has not reported its cost
     * yet. So the average of such an actor does not fall for now.
     */
    void update(List<Load> reports, Predicate<ReplicaKey> moved) {
        TreeMap<ReplicaKey, Double> sums = new TreeMap<>();
        memory.clear();
        bytes.clear();
        for (Load report : reports) {
            for (ReplicaLoad replica : report.replicas()) {
                double cost = replica.queryCostMillisPerSecond();
                sums.merge(replica.key(), cost > 0 && Double.isFinite(cost) ? cost : 0, Double::sum);
                memory.merge(replica.key(), Math.max(0, replica.memoryBytes()), Math::max);
                bytes.merge(
                        replica.key(), Math.max(0, Math.max(replica.memoryBytes(), replica.diskBytes())), Math::max);
            }
        }
        newest = sums;
        costs.keySet().retainAll(new TreeSet<>(sums.keySet()));
        sums.forEach((key, sum) -> costs.merge(key, sum, (before, now) -> {
            double next = before + NEW_WEIGHT * (now - before);
            return moved.test(key) ? Math.max(before, next) : next;
        }));
    }

    /** Average cost in milliseconds of CPU per second. */
    double cost(ReplicaKey key) {
        return costs.getOrDefault(key, 0.0);
    }

    /** Cost in the newest reports. */
    double newest(ReplicaKey key) {
        return newest.getOrDefault(key, 0.0);
    }

    /** Bytes per replica, 0 if no server reported it. */
    long memory(ReplicaKey key) {
        return memory.getOrDefault(key, 0L);
    }

    /** Bytes to copy for a further replica: the larger of memory and disk, 0 if no server reported it. */
    long bytes(ReplicaKey key) {
        return bytes.getOrDefault(key, 0L);
    }
}
