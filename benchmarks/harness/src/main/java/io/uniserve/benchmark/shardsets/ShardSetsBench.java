package io.uniserve.benchmark.shardsets;

import io.uniserve.benchmark.balance.BalancingCluster;
import io.uniserve.benchmark.balance.ClosedLoopClients;
import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.balance.OpenLoopClients;
import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.shardsets.ShardSetsResult.Changes;
import io.uniserve.benchmark.shardsets.ShardSetsResult.Row;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * One cluster of processes. Each policy gets each workload on a new table with the same rows and the same placement. Clients never pause
 * while replicas move, so failures of any moment count. Not thread-safe.
 */
final class ShardSetsBench {
    private static final Duration DEADLINE = Duration.ofMinutes(1);
    /** Load before the measurement without a policy: queues fill up. */
    private static final double SETTLE_SECONDS = 2;
    /** Time for late queries of a measurement. */
    private static final double DRAIN_SECONDS = 20;
    /** A placement without a change for this many periods is settled, and at least for the longest search and a period. */
    private static final int QUIET_PERIODS = 3;

    private static final double SEARCH_SECONDS = 10;

    /** A busy server may not report its load in time. */
    private static final int STATUS_TRIES = 3;

    private static final int CALIBRATION_CLIENTS = 16;
    private static final int CALIBRATION_PARTS = 4;

    private final Path directory;
    private final ShardSetsSettings settings;
    private final Console console;
    private final LongSupplier nanos;
    private final SummedTable table;
    private final ServerQuota quota;
    private final OpenLoopClients clients;
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, String> skipped = new TreeMap<>();
    private double actorsPerSecond;
    private int tables;

    ShardSetsBench(Path directory, ShardSetsSettings settings, Console console, LongSupplier nanos) {
        this.directory = directory;
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
        this.table = new SummedTable(settings.actors(), settings.rows());
        this.quota = ServerQuota.of(settings.quota());
        this.clients = new OpenLoopClients(settings.clients(), DRAIN_SECONDS, nanos);
    }

    /** Measures everything. A policy that this installation lacks is skipped, with the reason. */
    ShardSetsResult run() {
        console.note("starting ZooKeeper, coordinator and " + settings.servers() + " servers; " + settings.actors()
                + " actors, " + settings.rows() + " rows, rf 1");
        ProcessClusterOptions options = ProcessClusterOptions.of(directory, settings.servers(), "kv")
                .withHeap("-Xmx" + settings.heap())
                .with(BalancingCluster.QUICK_LOADS)
                .with(withSolver(JavaLauncher.ofThisProcess()))
                .withFastStart();
        try (BalancingCluster cluster = new BalancingCluster(options, DEADLINE)) {
            prepare(cluster);
            measure(cluster, ShardSetsResult.NONE);
            for (String policy : settings.policies()) {
                try {
                    PolicyAvailability.check(policy);
                } catch (UniserveException e) {
                    skipped.put(policy, e.reason());
                    continue;
                }
                cluster.restartCoordinator(coordinator(policy));
                measure(cluster, policy);
            }
        }
        return new ShardSetsResult(rows, skipped);
    }

    /** The launcher with the solver's jars. Only policies that need the solver load its classes. */
    private static JavaLauncher withSolver(JavaLauncher java) {
        Path jars = java.home().resolve("solver").resolve("lib").resolve("*");
        return new JavaLauncher(
                java.java(), java.home(), java.classPath() + File.pathSeparator + jars, java.main(), java.flags());
    }

    private Map<String, String> coordinator(String policy) {
        Map<String, String> all = new HashMap<>(BalancingCluster.balancing(settings.period(), settings.copiesMax()));
        all.put("coordinator.rebalance.policy", policy);
        return all;
    }

    /** Warms the servers up without a quota, and measures the actors that all of them scan per second under it. */
    private void prepare(BalancingCluster cluster) {
        newTable(cluster);
        ClosedLoopClients loop = new ClosedLoopClients(CALIBRATION_CLIENTS, nanos);
        Query even = n -> table.query(cluster.client(), evenParts(n));
        console.note("warming up for " + settings.warmUpSeconds() + " s: queries of all actors, no CPU limit");
        requireRight(loop.run(settings.warmUpSeconds(), even));
        try (CpuQuota limit = quota.limit(cluster.serverPids())) {
            requireRight(loop.run(SETTLE_SECONDS, even));
            Window window = loop.run(settings.calibrationSeconds(), even);
            requireRight(window);
            actorsPerSecond = window.perSecond() * evenParts(0).length;
        }
        if (!(actorsPerSecond > 0)) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "no query was answered in --calibration " + settings.calibrationSeconds());
        }
        console.note(String.format(
                Locale.ROOT,
                "%s; at capacity they scan %.0f actors/s, of which the load needs %.0f %%",
                quota.describe("server", "servers"),
                actorsPerSecond,
                100 * settings.load()));
    }

    /** Returns the parts of the n-th query of the calibration: all parts are read equally often. */
    private int[] evenParts(long n) {
        int length = Math.min(CALIBRATION_PARTS, settings.actors());
        int from = (int) Math.floorMod(n * length, (long) settings.actors());
        return IntStream.range(from, from + length)
                .map(part -> part % settings.actors())
                .toArray();
    }

    private static void requireRight(Window window) {
        if (window.failed() + window.wrong() > 0) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "queries before the measurements failed: " + window.messages());
        }
    }

    private void newTable(BalancingCluster cluster) {
        table.load(cluster.client(), "sets" + tables++);
    }

    private void measure(BalancingCluster cluster, String policy) {
        for (ShardSetKind kind : settings.workloads()) {
            ShardSetWorkload workload = new ShardSetWorkload(kind, settings.actors(), settings.sets(), settings.seed());
            newTable(cluster);
            try (CpuQuota limit = quota.limit(cluster.serverPids())) {
                rows.add(new Run(cluster, workload, policy).run());
            }
        }
    }

    /** One workload under one policy. */
    private final class Run {
        private final BalancingCluster cluster;
        private final ShardSetWorkload workload;
        private final String policy;
        private final PlacementChanges changes = new PlacementChanges();
        private final long startNanos = nanos.getAsLong();
        private volatile boolean isLate;
        private double lastChange;
        private LivePlacement placement = LivePlacement.UNKNOWN;
        private String state = "";

        private Run(BalancingCluster cluster, ShardSetWorkload workload, String policy) {
            this.cluster = cluster;
            this.workload = workload;
            this.policy = policy;
        }

        private double secondsSinceStart() {
            return (nanos.getAsLong() - startNanos) / 1e9;
        }

        private Row run() {
            observe();
            double rate = settings.load() * actorsPerSecond / workload.meanParts(true);
            Query query = n -> table.query(cluster.client(), workload.parts(workload.choose(n, isLate)));
            Window before = clients.load(rate, this::adapt, query);
            double changed = lastChange;
            Window window = clients.measure(rate, this::await, query);
            Row row = new Row(workload.kind(), policy, rate, window, before, Changes.of(changes), changed, placement);
            console.note(String.format(
                    Locale.ROOT,
                    "%s, policy %s: p50 %.1f ms, p99 %.1f ms at %.1f queries/s; %d failed, %d wrong; %d moves, %d copies, the"
                            + " last after %.1f s; contention %.2f; load of servers %.2f to %.2f of their due%s",
                    workload.kind().label(),
                    policy,
                    window.percentileMillis(0.5),
                    row.p99(),
                    window.perSecond(),
                    window.failed() + before.failed(),
                    window.wrong() + before.wrong(),
                    changes.moves(),
                    changes.copies(),
                    changed,
                    placement.contention(),
                    placement.least(),
                    placement.most(),
                    state.isEmpty() ? "" : "; coordinator " + state));
            return row;
        }

        private void observe() {
            if (changes.observe(actors())) {
                lastChange = secondsSinceStart();
            }
        }

        private List<ActorState> actors() {
            return cluster.client().routing().tables().stream()
                    .filter(route -> route.meta().name().value().equals(table.name()))
                    .findFirst()
                    .map(TableRoute::map)
                    .map(map -> List.copyOf(map.actors()))
                    .orElse(List.of());
        }

        /** Waits until the policy has nothing more to do. In kind DRIFT the popularity changes half way. */
        private void adapt() {
            boolean isStatic = policy.equals(ShardSetsResult.NONE);
            isLate = isStatic || workload.kind() != ShardSetKind.DRIFT;
            if (isStatic) {
                awaitSeconds(SETTLE_SECONDS);
            } else if (isLate) {
                awaitSettled(settings.adaptSeconds());
            } else {
                awaitSettled(settings.adaptSeconds() / 2);
                isLate = true;
                awaitSettled(settings.adaptSeconds() / 2);
            }
        }

        private void awaitSettled(double most) {
            double from = secondsSinceStart();
            ConditionWaiter.await(nanos, Math.round(most * 1_000), () -> {
                observe();
                double now = secondsSinceStart();
                double period = settings.periodSeconds();
                return changes.isSettled()
                        && now - Math.max(from, lastChange)
                                >= Math.max(QUIET_PERIODS * period, period + SEARCH_SECONDS);
            });
        }

        private void await() {
            awaitSeconds(settings.seconds());
            for (int n = 0; n < STATUS_TRIES && placement.equals(LivePlacement.UNKNOWN); n++) {
                ClusterStatus status = cluster.client().admin().status();
                placement = LivePlacement.of(status);
                state = status.rebalance().state();
            }
        }

        private void awaitSeconds(double seconds) {
            ConditionWaiter.await(nanos, Math.round(seconds * 1_000), () -> {
                observe();
                return false;
            });
        }
    }
}
