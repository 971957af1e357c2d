package io.uniserve.server;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.runtime.time.CpuClock;
import io.uniserve.server.read.ReadCosts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Adds to the machine's report what reads cost, as rates since the last report. Used on the server's loop only. */
final class LoadRates {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    /** Reports closer together than this would make rates of noise. */
    private static final long PERIOD_MIN_NANOS = 100_000_000;

    private final Clock clock;
    private final ReadCosts costs;
    private Map<ReplicaKey, ReadCosts.Total> last = new HashMap<>();
    private Map<ReplicaKey, Rate> rates = Map.of();
    private long lastNanos;
    private long lastCpuNanos;
    private double cpuMillisPerSecond;

    private record Rate(double costMillis, double queries) {
        private static final Rate NONE = new Rate(0, 0);
    }

    LoadRates(Clock clock, ReadCosts costs) {
        this.clock = clock;
        this.costs = costs;
        this.lastNanos = clock.nanos();
        this.lastCpuNanos = CpuClock.processNanos();
    }

    Load complete(Load load) {
        long now = clock.nanos();
        if (now - lastNanos >= PERIOD_MIN_NANOS) {
            measure(load, now);
        }
        List<ReplicaLoad> replicas = new ArrayList<>(load.replicas().size());
        for (ReplicaLoad replica : load.replicas()) {
            Rate rate = rates.getOrDefault(replica.key(), Rate.NONE);
            replicas.add(new ReplicaLoad(
                    replica.key(),
                    replica.epoch(),
                    replica.role(),
                    replica.lastIndex(),
                    replica.stableIndex(),
                    replica.appliedIndex(),
                    replica.rows(),
                    replica.memoryBytes(),
                    replica.diskBytes(),
                    rate.costMillis(),
                    rate.queries(),
                    replica.backupIndex(),
                    replica.backupCheckpointIndex()));
        }
        return new Load(load.server(), replicas, cpuMillisPerSecond);
    }

    private void measure(Load load, long now) {
        double seconds = (now - lastNanos) / NANOS_PER_SECOND;
        Map<ReplicaKey, ReadCosts.Total> totals = new HashMap<>();
        Map<ReplicaKey, Rate> measured = new HashMap<>();
        for (ReplicaLoad replica : load.replicas()) {
            ReadCosts.Total total = costs.total(replica.key());
            ReadCosts.Total before = last.getOrDefault(replica.key(), new ReadCosts.Total(0, 0));
            totals.put(replica.key(), total);
            measured.put(
                    replica.key(),
                    new Rate(
                            (total.costNanos() - before.costNanos()) / NANOS_PER_MILLI / seconds,
                            (total.calls() - before.calls()) / seconds));
        }
        last.keySet().stream().filter(key -> !totals.containsKey(key)).forEach(costs::forget);
        long cpu = CpuClock.processNanos();
        cpuMillisPerSecond = (cpu - lastCpuNanos) / NANOS_PER_MILLI / seconds;
        last = totals;
        rates = measured;
        lastNanos = now;
        lastCpuNanos = cpu;
    }
}
