package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Smoothed number of log entries per second of each actor, from the last indexes that primaries report. */
final class UpdateRates {
    private static final double NEW_WEIGHT = 0.5;
    private static final double NANOS_PER_SECOND = 1e9;

    private TreeMap<ReplicaKey, Sample> samples = new TreeMap<>();

    /** An actor's last index with the time of its report, and its rate: NaN before the second report. */
    private record Sample(long index, long nanos, double perSecond) {}

    /** Adds the reports of all servers. Actors without a report are removed. */
    void update(List<Load> reports, long now) {
        TreeMap<ReplicaKey, Sample> next = new TreeMap<>();
        for (Load report : reports) {
            for (ReplicaLoad replica : report.replicas()) {
                if (replica.role().equals(ReplicaLoad.PRIMARY)) {
                    next.put(replica.key(), sample(samples.get(replica.key()), replica.lastIndex(), now));
                }
            }
        }
        samples = next;
    }

    private static Sample sample(@Nullable Sample before, long index, long now) {
        if (before == null || now <= before.nanos() || index < before.index()) {
            return new Sample(index, now, before == null ? Double.NaN : before.perSecond());
        }
        double seen = (index - before.index()) * NANOS_PER_SECOND / (now - before.nanos());
        double old = Double.isNaN(before.perSecond()) ? seen : before.perSecond();
        return new Sample(index, now, old + NEW_WEIGHT * (seen - old));
    }

    /** Entries per second; 0 before the second report. */
    double perSecond(ReplicaKey key) {
        Sample sample = samples.get(key);
        return sample == null || Double.isNaN(sample.perSecond()) ? 0 : sample.perSecond();
    }
}
