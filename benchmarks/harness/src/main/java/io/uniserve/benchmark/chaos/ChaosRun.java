package io.uniserve.benchmark.chaos;

import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.simulator.check.AtomicCheck;
import io.uniserve.simulator.check.HistoryCheck;
import io.uniserve.simulator.check.Violation;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Chaos run, from the start of its processes to the check of its history. */
final class ChaosRun {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration PROBE = Duration.ofSeconds(60);
    private static final long LOOK_MS = 500;

    private final ChaosOptions options;
    private final DiskFiller disk;
    private final Console console;
    private final Clock clock;

    /**
     * Result of a run.
     *
     * @param unsettled problems that remained a while after the faults; empty if none
     */
    record Result(
            Map<String, Integer> faults,
            Map<String, Long> operations,
            Map<String, Long> errors,
            int lost,
            int wrong,
            List<Violation> violations,
            List<String> unsettled,
            double settledSeconds) {
        boolean pass() {
            return lost == 0 && wrong == 0 && unsettled.isEmpty();
        }
    }

    ChaosRun(ChaosOptions options, DiskFiller disk, Console console, Clock clock) {
        this.options = options;
        this.disk = disk;
        this.console = console;
        this.clock = clock;
    }

    Result run() throws Exception {
        try (ChaosCluster cluster = new ChaosCluster(options, disk);
                HistoryFileWriter file = new HistoryFileWriter(options.history())) {
            console.println("starting " + ChaosOptions.ZOOKEEPERS + " ZooKeeper servers, " + ChaosOptions.COORDINATORS
                    + " coordinators, " + options.servers() + " servers in " + options.directory() + "; full disk by "
                    + disk.means().label() + "; seed " + options.seed());
            cluster.start();
            try (UniserveClient client = client(cluster)) {
                return run(cluster, client, file);
            }
        }
    }

    private static UniserveClient client(ChaosCluster cluster) {
        return UniserveClient.builder()
                .bootstrap(cluster.servers().stream().map(cluster::address).toArray(String[]::new))
                .connectTimeout(PROBE)
                .deadline(PROBE)
                .build();
    }

    private Result run(ChaosCluster cluster, UniserveClient client, HistoryFileWriter file)
            throws InterruptedException {
        createTables(cluster, client);
        ChaosWorkload load = new ChaosWorkload(clock, file, () -> client(cluster));
        ChaosFaultInjector faults =
                new ChaosFaultInjector(cluster, clock, client, load, console::println, options.seed());
        long healed;
        try (load) {
            load.start(options.clients(), options.seed());
            long start = clock.nanos();
            ProgressBar progress = new ProgressBar(
                    console.err(),
                    console.terminal(),
                    clock::nanos,
                    "chaos",
                    options.duration().toSeconds());
            faults.run(
                    options.duration(),
                    () -> progress.update(
                            TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - start),
                            load.outcomes().values().stream()
                                            .mapToLong(Long::longValue)
                                            .sum() + " operations"));
            progress.finish();
            healed = clock.nanos();
            faults.endAll();
        }
        List<String> unsettled = settle(client, cluster.servers().size());
        double seconds = (clock.nanos() - healed) / 1e9;
        if (unsettled.isEmpty() && !load.probe(client, PROBE)) {
            unsettled = List.of("an update after the faults failed");
        }
        return checkHistory(cluster, load, faults, unsettled, seconds);
    }

    private void createTables(ChaosCluster cluster, UniserveClient client) throws InterruptedException {
        List<String> waiting = new ArrayList<>();
        await(() -> {
            waiting.clear();
            int live = status(client).routing().servers().size();
            if (live < cluster.servers().size()) {
                waiting.add(live + " servers");
            }
            return waiting;
        });
        TableSpec spec = TableSpec.named(ChaosOptions.EVENTUAL)
                .port("kv")
                .hash(ChaosOptions.ACTORS)
                .replicas(ChaosOptions.REPLICAS)
                .minIsr(2)
                .onLoss(OnLoss.WAIT);
        client.admin().createTable(spec);
        client.admin()
                .createTable(TableSpec.named(ChaosOptions.ATOMIC)
                        .port("kv")
                        .hash(ChaosOptions.ACTORS)
                        .replicas(ChaosOptions.REPLICAS)
                        .minIsr(2)
                        .onLoss(OnLoss.WAIT)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
    }

    private static ClusterStatus status(UniserveClient client) {
        return client.admin().status();
    }

    private interface ConditionCheck {
        List<String> missingConditions();
    }

    /** Polls until nothing is missing or the time is over. Returns what was missing in the last poll. */
    private List<String> await(ConditionCheck look) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long end = clock.nanos() + PATIENCE.toNanos();
        while (true) {
            List<String> missing;
            try {
                missing = List.copyOf(look.missingConditions());
            } catch (UniserveException e) {
                missing = List.of(String.valueOf(e.getMessage()));
            }
            if (missing.isEmpty() || clock.nanos() >= end) {
                return missing;
            }
            never.await(LOOK_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Waits until every server is live and every actor has all its replicas in sync. */
    private List<String> settle(UniserveClient client, int servers) throws InterruptedException {
        return await(() -> {
            List<String> missing = new ArrayList<>();
            ClusterStatus status = status(client);
            if (status.routing().servers().size() != servers) {
                missing.add(status.routing().servers().size() + " of " + servers + " servers live");
            }
            for (TableRoute table : status.routing().tables()) {
                table.map().actors().stream()
                        .filter(actor -> actor.isr().size() != ChaosOptions.REPLICAS
                                || !actor.learners().isEmpty()
                                || !actor.fencing().isEmpty())
                        .forEach(actor -> missing.add(table.meta().name() + "/" + actor.actor() + ": " + actor));
            }
            return missing;
        });
    }

    private Result checkHistory(
            ChaosCluster cluster,
            ChaosWorkload load,
            ChaosFaultInjector faults,
            List<String> unsettled,
            double settledSeconds)
            throws InterruptedException {
        EventQueue queue = new EventQueue();
        ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
        List<String> missing = new ArrayList<>(unsettled);
        int generations = load.generation();
        try (UniserveClient fresh = client(cluster)) {
            Map<Integer, List<String>> lists = new TreeMap<>();
            Map<Integer, List<String>> atoms = new TreeMap<>();
            missing.addAll(await(() -> {
                lists.clear();
                atoms.clear();
                readFinalLists(load, fresh.table(ChaosOptions.EVENTUAL), generations, lists);
                readFinalLists(load, fresh.table(ChaosOptions.ATOMIC), generations, atoms);
                Map<Integer, List<String>> again = new TreeMap<>();
                readFinalLists(load, fresh.table(ChaosOptions.EVENTUAL), generations, again);
                return again.equals(lists) ? List.of() : List.of("lists still change");
            }));
            synchronized (load) {
                new HistoryCheck(violations, load.eventual, lists, list -> true).run();
                new AtomicCheck(violations, load.atomic, atoms).run();
            }
        }
        int lost = violations.count("I12");
        return new Result(
                faults.counts(),
                load.outcomes(),
                load.errors(),
                lost,
                violations.total() - lost,
                violations.kept(),
                missing,
                settledSeconds);
    }

    private static void readFinalLists(
            ChaosWorkload load, ClientTable table, int generations, Map<Integer, List<String>> into) {
        for (int generation = 0; generation <= generations; generation++) {
            into.putAll(load.lists.readAll(table, generation, PROBE));
        }
    }
}
