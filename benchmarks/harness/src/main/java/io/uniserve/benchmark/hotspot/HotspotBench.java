package io.uniserve.benchmark.hotspot;

import io.uniserve.benchmark.balance.BalancingCluster;
import io.uniserve.benchmark.balance.ClosedLoopClients;
import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.balance.HotPartChooser;
import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.hotspot.HotspotResult.Measurement;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.cli.command.Console;
import io.uniserve.client.UniserveClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * One port after the other, each on a cluster of its own. The same cluster is measured without balancing, after a few periods of the
 * balancer, and if asked for when the hot actor has a replica on every server. Clients never pause, so failures of any moment count. Not thread-safe.
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
            return new Run(port, workload, cluster).run();
        }
    }

    private void note(HotspotPort port, String text) {
        console.note("port " + port.port() + ": " + text);
    }

    /** Measurements of one port. */
    private final class Run {
        private final HotspotPort port;
        private final HotWorkload workload;
        private final BalancingCluster cluster;
        private final ClosedLoopClients clients = new ClosedLoopClients(settings.clients(), nanos);
        private final List<UniserveClient> connections;
        private final Query hot;
        private final List<Window> others = new ArrayList<>();
        private final List<Measurement> measurements = new ArrayList<>();

        private Run(HotspotPort port, HotWorkload workload, BalancingCluster cluster) {
            this.port = port;
            this.workload = workload;
            this.cluster = cluster;
            HotPartChooser chooser = new HotPartChooser(workload.parts(), workload.hotPart(), HOT_SHARE);
            this.connections = cluster.connect(settings.clients());
            this.hot = n -> workload.query(connection(n), chooser.choose(n), n);
        }

        private UniserveClient connection(long n) {
            return connections.get((int) Math.floorMod(n, (long) connections.size()));
        }

        private HotspotResult run() {
            note(
                    port,
                    "warming up for " + settings.warmUpSeconds()
                            + " s: queries of all parts, then copies of a cold one, no CPU limit");
            Query even = n -> workload.query(connection(n), (int) Math.floorMod(n, (long) workload.parts()), n);
            others.add(clients.run(settings.warmUpSeconds(), even));
            // A cold actor, so the servers' code for copies is compiled before the quota applies.
            int cold = Math.floorMod(workload.hotPart() + 1, workload.parts());
            others.add(clients.runDuring(() -> cluster.copyAndDrop(workload.table(), cold, settings.servers()), even));
            ServerQuota quota = ServerQuota.of(settings.quota());
            note(port, quota.describe("server", "servers") + "; " + 100 * HOT_SHARE + " % of queries ask one part");
            try (CpuQuota limit = quota.limit(cluster.serverPids())) {
                others.add(clients.run(SETTLE_SECONDS, hot));
                measure("balancing off");
                long start = nanos.getAsLong();
                others.add(clients.runDuring(this::startBalancing, hot));
                measure("after " + settings.periods() + " periods");
                if (settings.copiesWaitSeconds() > 0) {
                    others.add(clients.runDuring(this::awaitCopies, hot));
                    measure(String.format(Locale.ROOT, "after %.0f s", (nanos.getAsLong() - start) / 1e9));
                }
            }
            return new HotspotResult(
                    port.port(), quota.cores(), settings.servers(), settings.periods(), measurements, others);
        }

        private void measure(String label) {
            int before = hotReplicas();
            List<CpuMeter> servers = cluster.serverPids().stream()
                    .map(pid -> new CpuMeter(List.of(pid), false))
                    .toList();
            double[] millis = servers.stream().mapToDouble(CpuMeter::totalMs).toArray();
            Window window = clients.run(settings.seconds(), hot);
            List<String> cores = new ArrayList<>();
            for (int i = 0; i < millis.length; i++) {
                double used = (servers.get(i).totalMs() - millis[i]) / 1e3 / window.seconds();
                cores.add(String.format(Locale.ROOT, "%.2f", used));
            }
            note(
                    port,
                    String.format(
                            Locale.ROOT,
                            "%s: %.1f queries/s, p50 %.2f ms, p99 %.2f ms, %d failed, %d wrong; %d replicas of the hot actor,"
                                    + " cores used by servers %s",
                            label,
                            window.perSecond(),
                            window.percentileMillis(0.5),
                            window.percentileMillis(0.99),
                            window.failed(),
                            window.wrong(),
                            before,
                            String.join(", ", cores)));
            measurements.add(new Measurement(label, before, window));
        }

        private int hotReplicas() {
            return cluster.replicas(workload.table()).get(workload.hotPart());
        }

        private void startBalancing() {
            cluster.startBalancing(settings.period(), settings.servers());
            // No condition ends it: all periods pass, from the moment that the coordinator serves.
            ConditionWaiter.await(nanos, Math.round(settings.balancingSeconds() * 1_000), () -> false);
        }

        private void awaitCopies() {
            ConditionWaiter.await(
                    nanos, Math.round(settings.copiesWaitSeconds() * 1_000), () -> hotReplicas() >= settings.servers());
        }
    }
}
