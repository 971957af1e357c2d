package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.Collections;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Part hot: seven eighths of the reads have the keys of the first eighth of the table, which is one of eight actors. Each server has a CPU
 * quota. The same cluster is measured without and then with automatic copies of hot actors.
 */
final class YcsbHotBench {
    private static final double GOAL = 2.0;
    /** One actor per eighth of the keys. */
    private static final int ACTORS = 8;

    private static final int BATCH = 100;
    /** Operations per run over those of part core. A quota of a tenth of a core makes short runs too noisy. */
    private static final int OPERATIONS_FACTOR = 10;

    private static final int THREADS_FACTOR = 4;
    /** Runs without a quota, so that the compilers of the servers are done before the first measurement. */
    private static final int WARM_UP_RUNS = 5;

    private static final String TABLE = "hot";

    private final YcsbSettings settings;
    private final YcsbClientProcess client;
    private final YcsbReport report;
    private final LongSupplier nanos;

    YcsbHotBench(YcsbSettings settings, YcsbClientProcess client, YcsbReport report, LongSupplier nanos) {
        this.settings = settings;
        this.client = client;
        this.report = report;
        this.nanos = nanos;
    }

    void run(YcsbPort port, UniserveYcsbCluster cluster) {
        if (!port.numbers()) {
            report.skip("part hot of port " + port.port() + ": it has no number keys, which ranges of actors need");
            return;
        }
        YcsbWorkload workload = YcsbWorkload.load(YcsbWorkload.HOT).with(Map.of("table", TABLE));
        YcsbSide side = cluster.side(Map.of(
                "uniserve.partition", "range", "uniserve.actors", Integer.toString(ACTORS), "uniserve.replicas", "1"));
        client.load(side, workload, settings.load(0, 0), BATCH);
        // Enough threads that the servers behind the hot one's queue are busy too.
        YcsbClientProcess.Load load = new YcsbClientProcess.Load(
                settings.records(),
                OPERATIONS_FACTOR * settings.operations(),
                THREADS_FACTOR * settings.threads(),
                0,
                settings.warmUp());
        ServerQuota quota = ServerQuota.of(settings.quota());
        report.row("part hot, port %s: %s", port.port(), quota.describe("server", "servers"));
        report.field("hotQuota " + port.port(), quota.cores());
        for (int run = 0; run < WARM_UP_RUNS; run++) {
            client.run(side, workload, load);
        }
        double off = measure(port, side, workload, load, quota, "balancing off");
        // Without the quota, as the coordinator compares the load of an actor with whole cores.
        cluster.balance(settings.servers());
        awaitCopies(side, workload, load, cluster);
        report.row("hot %s: replicas per actor after balancing %s", port.port(), cluster.replicas(TABLE));
        double on = measure(port, side, workload, load, quota, "balancing on");
        report.figure(BenchmarkMetric.moreIsBetter(
                "hot " + port.port() + ": op/s with balancing over without", on, off, GOAL));
        report.row("hot %s: %.0f op/s without balancing, %.0f with, ratio %.2f", port.port(), off, on, on / off);
    }

    private double measure(
            YcsbPort port,
            YcsbSide side,
            YcsbWorkload workload,
            YcsbClientProcess.Load load,
            ServerQuota quota,
            String label) {
        double millis = 0;
        try (CpuQuota limit = quota.limit(side.pids())) {
            for (int round = 0; round < settings.rounds(); round++) {
                YcsbClientProcess.Run run = client.run(side, workload, load);
                report.run(port.port() + " hot " + label, load, run);
                millis += run.millis();
            }
        }
        return 1_000.0 * load.operations() * settings.rounds() / millis;
    }

    /** Sends queries until a hot actor has a replica on every server, at most for the time of the option. */
    private void awaitCopies(
            YcsbSide side, YcsbWorkload workload, YcsbClientProcess.Load load, UniserveYcsbCluster cluster) {
        long start = nanos.getAsLong();
        while (Collections.max(cluster.replicas(TABLE)) < settings.servers()
                && (nanos.getAsLong() - start) / 1e9 < settings.copiesWaitSeconds()) {
            client.run(side, workload, load);
        }
        report.row("hot: waited %.1f s for copies", (nanos.getAsLong() - start) / 1e9);
    }
}
