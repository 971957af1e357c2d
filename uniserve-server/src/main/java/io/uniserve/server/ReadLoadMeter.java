package io.uniserve.server;

import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.runtime.time.CpuClock;
import io.uniserve.runtime.time.ServingCpuClock;
import io.uniserve.server.read.ReadCostCounter;
import io.uniserve.server.read.ShardSetTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Read load of this server's replicas. It adds the cost and number of reads to the load report, as rates since the last report, with
 * exponential smoothing. Use on the server's loop only.
 */
final class ReadLoadMeter {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    /** Shortest period for a measurement. Rates over a shorter one would be mostly noise. */
    private static final long PERIOD_MIN_NANOS = 100_000_000;

    private final Clock clock;
    private final double halfLifeSeconds;
    private final ReadCostCounter costs;
    private final ShardSetTracker sets;
    private Map<ReplicaKey, Sample> samples = new HashMap<>();
    private final IntSupplier stuck;
    private long lastNanos;
    private long lastCpuNanos;
    private double cpuMillisPerSecond;
    private final ServingCpuClock servingCpu = new ServingCpuClock();
    private long lastServingNanos;
    private double servingMillisPerSecond;
    private boolean measured;

    /** A replica's totals at the last report, its rates, and the time of its first report. */
    private record Sample(
            ReadCostCounter.Total total, double costMillis, double queries, double scanned, long firstReportNanos) {}

    ReadLoadMeter(Clock clock, Duration halfLife, ReadCostCounter costs, ShardSetTracker sets, IntSupplier stuck) {
        this.halfLifeSeconds = halfLife.toNanos() / NANOS_PER_SECOND;
        this.stuck = stuck;
        this.clock = clock;
        this.costs = costs;
        this.sets = sets;
        this.lastNanos = clock.nanos();
        this.lastCpuNanos = CpuClock.processNanos();
        this.lastServingNanos = servingCpu.nanos();
    }

    Load withRates(Load load) {
        long now = clock.nanos();
        if (now - lastNanos >= PERIOD_MIN_NANOS) {
            measure(load, now);
        }
        List<ReplicaLoad> replicas = new ArrayList<>(load.replicas().size());
        for (ReplicaLoad replica : load.replicas()) {
            Sample one = samples.get(replica.key());
            replicas.add(
                    one == null
                            ? replica
                            : replica.withRates(
                                    one.costMillis(),
                                    one.queries(),
                                    one.scanned(),
                                    (now - one.firstReportNanos()) / NANOS_PER_SECOND));
        }
        Runtime runtime = Runtime.getRuntime();
        long memory = runtime.totalMemory() - runtime.freeMemory();
        return withStuckThreads(load.withCosts(
                replicas, cpuMillisPerSecond, measured ? servingMillisPerSecond : -1, memory, sets.top()));
    }

    /** Adds a problem to the report if threads are stuck in engines. */
    private Load withStuckThreads(Load load) {
        int threads = stuck.getAsInt();
        if (threads == 0) {
            return load;
        }
        List<HealthProblem> problems = new ArrayList<>(load.problems());
        problems.add(new HealthProblem(
                HealthProblem.Severity.WARNING,
                "queries",
                threads
                        + " threads are stuck in operators after their deadlines; others took their places, at"
                        + " most "
                        + Limits.SPARE_THREADS_MAX + "; run uniserve queries list, and restart the server to get rid of"
                        + " them"));
        return load.withProblems(problems);
    }

    private void measure(Load load, long now) {
        double seconds = (now - lastNanos) / NANOS_PER_SECOND;
        double part = measured ? 1 - Math.pow(0.5, seconds / halfLifeSeconds) : 1;
        Map<ReplicaKey, Sample> next = new HashMap<>();
        for (ReplicaLoad replica : load.replicas()) {
            ReadCostCounter.Total total = costs.total(replica.key());
            Sample before = samples.get(replica.key());
            ReadCostCounter.Total start = before == null ? ReadCostCounter.Total.ZERO : before.total();
            double cost = (total.costNanos() - start.costNanos()) / NANOS_PER_MILLI / seconds;
            double queries = (total.calls() - start.calls()) / seconds;
            double scanned = (total.rowsScanned()
                            - start.rowsScanned()
                            + (double) Math.max(0, replica.rows()) * (total.unreported() - start.unreported()))
                    / seconds;
            next.put(
                    replica.key(),
                    before == null
                            ? new Sample(total, cost, queries, scanned, now)
                            : new Sample(
                                    total,
                                    smooth(before.costMillis(), cost, part),
                                    smooth(before.queries(), queries, part),
                                    smooth(before.scanned(), scanned, part),
                                    before.firstReportNanos()));
        }
        samples.keySet().stream().filter(key -> !next.containsKey(key)).forEach(costs::forget);
        long cpu = CpuClock.processNanos();
        cpuMillisPerSecond = smooth(cpuMillisPerSecond, (cpu - lastCpuNanos) / NANOS_PER_MILLI / seconds, part);
        long serving = servingCpu.nanos();
        double servingNow = Math.max(0, (serving - lastServingNanos) / NANOS_PER_MILLI / seconds);
        servingMillisPerSecond = smooth(servingMillisPerSecond, servingNow, part);
        lastServingNanos = serving;
        measured = true;
        samples = next;
        lastNanos = now;
        lastCpuNanos = cpu;
    }

    private static double smooth(double before, double now, double part) {
        return before + part * (now - before);
    }
}
