package io.uniserve.benchmark.hotspot;

import io.uniserve.benchmark.balance.BalancingCluster;
import io.uniserve.benchmark.balance.ClosedLoopClients;
import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.balance.HotPartChooser;
import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.cli.command.Console;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * One port after the other, each on a cluster of its own. The same cluster is measured without balancing, after a few periods of the
 * balancer, and when the hot actor has a replica on every server. Clients never pause, so failures of any moment count. Not thread-safe.
 */
final class HotspotBench {
    /** Share of queries that ask the hot part. */
    static final double HOT_SHARE = 0.875;

    private static final Duration DEADLINE = Duration.ofMinutes(1);
    /** Time under the quota before the first measurement: queues fill up. */
    private static final double SETTLE_SECONDS = 2;

    private final Path directory;
    private final HotspotSettings settings;
    private final Console console;
    private final LongSupplier nanos;

    HotspotBench(Path directory, HotspotSettings settings, Console console, LongSupplier nanos) {
        this.directory = directory;
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
    }

    /** Measures a port. */
    HotspotResult run(HotspotPort port) {
        Path home = directory.resolve(port.port());
        HotWorkload workload = port.workload(home, settings, console, nanos);
        note(port, "starting ZooKeeper, coordinator and " + settings.servers() + " servers; " + workload.description());
        try (BalancingCluster cluster = new BalancingCluster(
                port.cluster(home, settings.servers(), "-Xmx" + settings.heap())
                        .with(BalancingCluster.QUICK_LOADS)
                        .withFastStart(),
                DEADLINE)) {
            workload.load(cluster.client());
            return measure(port, workload, cluster);
        }
    }

    private HotspotResult measure(HotspotPort port, HotWorkload workload, BalancingCluster cluster) {
        ClosedLoopClients clients = new ClosedLoopClients(settings.clients(), nanos);
        HotPartChooser chooser = new HotPartChooser(workload.parts(), workload.hotPart(), HOT_SHARE);
        Query hot = n -> workload.query(cluster.client(), chooser.choose(n), n);
        Query even = n -> workload.query(cluster.client(), (int) Math.floorMod(n, (long) workload.parts()), n);
        List<Window> others = new ArrayList<>();
        List<Integer> replicas = new ArrayList<>();
        note(port, "warming up for " + settings.warmUpSeconds() + " s: queries of all parts, no CPU limit");
        others.add(clients.run(settings.warmUpSeconds(), even));
        ServerQuota quota = ServerQuota.of(settings.quotaOf(port));
        note(port, quota.describe("server", "servers") + "; " + 100 * HOT_SHARE + " % of queries ask one part");
        try (CpuQuota limit = quota.limit(cluster.serverPids())) {
            others.add(clients.run(SETTLE_SECONDS, hot));
            Window off = measure(port, "balancing off", clients, hot, hotReplicas(workload, cluster), replicas);
            long start = nanos.getAsLong();
            others.add(clients.runDuring(() -> startBalancing(cluster), hot));
            Window balanced = measure(
                    port,
                    "after " + settings.periods() + " periods",
                    clients,
                    hot,
                    hotReplicas(workload, cluster),
                    replicas);
            others.add(clients.runDuring(() -> awaitCopies(workload, cluster), hot));
            double waited = (nanos.getAsLong() - start) / 1e9;
            Window settled = measure(
                    port,
                    String.format(Locale.ROOT, "after %.1f s", waited),
                    clients,
                    hot,
                    hotReplicas(workload, cluster),
                    replicas);
            return new HotspotResult(
                    port.port(),
                    quota.cores(),
                    off,
                    balanced,
                    settled,
                    replicas,
                    settings.servers(),
                    settings.periods(),
                    waited,
                    others);
        }
    }

    private Window measure(
            HotspotPort port,
            String label,
            ClosedLoopClients clients,
            Query query,
            int hotReplicas,
            List<Integer> all) {
        all.add(hotReplicas);
        Window window = clients.run(settings.seconds(), query);
        note(
                port,
                String.format(
                        Locale.ROOT,
                        "%s: %.1f queries/s, p50 %.2f ms, p99 %.2f ms, %d replicas of the hot actor, %d failed, %d wrong",
                        label,
                        window.perSecond(),
                        window.percentileMillis(0.5),
                        window.percentileMillis(0.99),
                        hotReplicas,
                        window.failed(),
                        window.wrong()));
        return window;
    }

    private static int hotReplicas(HotWorkload workload, BalancingCluster cluster) {
        return cluster.replicas(workload.table()).get(workload.actor(workload.hotPart()));
    }

    private void startBalancing(BalancingCluster cluster) {
        cluster.startBalancing(settings.period(), settings.servers());
        // No condition ends it: all periods pass, from the moment that the coordinator serves.
        ConditionWaiter.await(nanos, Math.round(settings.balancingSeconds() * 1_000), () -> false);
    }

    private void awaitCopies(HotWorkload workload, BalancingCluster cluster) {
        ConditionWaiter.await(
                nanos,
                Math.round(settings.copiesWaitSeconds() * 1_000),
                () -> hotReplicas(workload, cluster) >= settings.servers());
    }

    private void note(HotspotPort port, String text) {
        console.note("port " + port.port() + ": " + text);
    }
}
