package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import java.util.TreeMap;

/** Newest measured load of each actor, summed over its replicas. An actor that no server reports keeps no load. */
final class ActorLoads {
    /** Load of an actor without reports. */
    static final Measured NONE = new Measured(0, 0, 0);

    private TreeMap<ReplicaKey, Measured> loads = new TreeMap<>();

    /**
     * Load of an actor.
     *
     * @param rows most rows that a replica holds, 0 if unknown
     * @param cpuMillisPerSecond CPU time of its queries
     * @param scannedPerSecond rows that its queries scan
     */
    record Measured(double rows, double cpuMillisPerSecond, double scannedPerSecond) {
        private Measured plus(ReplicaLoad replica) {
            return new Measured(
                    Math.max(rows, (double) Math.max(0, replica.rows())),
                    cpuMillisPerSecond + positive(replica.queryCostMillisPerSecond()),
                    scannedPerSecond + positive(replica.rowsScannedPerSecond()));
        }

        private static double positive(double value) {
            return value > 0 && Double.isFinite(value) ? value : 0;
        }
    }

    /** Replaces all loads by these reports. */
    void update(List<Load> reports) {
        TreeMap<ReplicaKey, Measured> next = new TreeMap<>();
        for (Load report : reports) {
            for (ReplicaLoad replica : report.replicas()) {
                next.put(replica.key(), next.getOrDefault(replica.key(), NONE).plus(replica));
            }
        }
        loads = next;
    }

    /** Load of the actor. */
    Measured of(ReplicaKey key) {
        return loads.getOrDefault(key, NONE);
    }
}
