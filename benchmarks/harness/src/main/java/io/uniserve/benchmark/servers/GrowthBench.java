package io.uniserve.benchmark.servers;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.benchmark.balance.ClosedLoopClients;
import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.ProcFsReader;
import io.uniserve.benchmark.measure.ZooKeeperServerStats;
import io.uniserve.benchmark.servers.FailoverTimeline.Outcome;
import io.uniserve.benchmark.servers.GrowthResult.Failover;
import io.uniserve.benchmark.servers.GrowthResult.IdleCost;
import io.uniserve.benchmark.servers.GrowthResult.QueryCost;
import io.uniserve.cli.command.Console;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/** Clusters of growing size, one after the other: placement, queries, memory, idle work and failover. Not thread-safe. */
final class GrowthBench {
    private static final String PUT = "kv.put@1";
    private static final String KEY = "key";
    private static final int BATCH = 4_000;
    /** Time after the queries in which connections and timers calm down. */
    private static final long SETTLE_MS = 3_000;

    private static final Duration QUERY_DEADLINE = Duration.ofSeconds(5);
    private static final Duration UPDATE_DEADLINE = Duration.ofMinutes(2);
    private static final long CALM_TIMEOUT_NANOS = Duration.ofMinutes(3).toNanos();

    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);

    private final Path directory;
    private final ServersSettings settings;
    private final Console console;
    private final LongSupplier nanos;

    GrowthBench(Path directory, ServersSettings settings, Console console, LongSupplier nanos) {
        this.directory = directory;
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
    }

    /** Measures all tables on a new cluster of this size. */
    List<GrowthResult> run(int servers) {
        note(servers, "starting ZooKeeper, coordinator and servers with a heap of " + settings.heap());
        long start = nanos.getAsLong();
        List<GrowthResult> results = new ArrayList<>();
        try (GrowthCluster cluster =
                new GrowthCluster(directory.resolve("servers-" + servers), servers, "-Xmx" + settings.heap(), nanos)) {
            double seconds = secondsSince(start);
            note(servers, String.format(Locale.ROOT, "all processes serve after %.1f s", seconds));
            for (int i = 0; i < settings.actors().size(); i++) {
                if (i > 0) {
                    cluster.restart();
                }
                results.add(measure(cluster, servers, settings.actors().get(i), seconds));
            }
        }
        return results;
    }

    private GrowthResult measure(GrowthCluster cluster, int servers, int actors, double startSeconds) {
        String name = "growth" + actors;
        long rows = (long) actors * settings.rowsPerActor();
        long start = nanos.getAsLong();
        cluster.client()
                .admin()
                .createTable(TableSpec.named(name)
                        .port("kv")
                        .hash(actors)
                        .replicas(settings.replicas())
                        .keyField(KEY));
        cluster.awaitReplicas(name, settings.replicas(), server -> false);
        double placed = secondsSince(start);
        note(servers, String.format(Locale.ROOT, "table of %d actors placed in %.2f s", actors, placed));
        ClientTable table = cluster.client().table(name);
        load(table, rows);
        Query all = n -> count(table, rows);
        Query one = n -> get(table, Math.floorMod(n, rows));
        ClosedLoopClients clients = new ClosedLoopClients(settings.clients(), nanos);
        Window warm = clients.run(settings.warmUpSeconds(), all);
        checkWarm(warm, clients.run(settings.warmUpSeconds(), one));
        QueryCost allCost = cost(cluster, clients, all, servers, "all-actor queries");
        QueryCost oneCost = cost(cluster, clients, one, servers, "one-actor queries");
        List<Long> pids = cluster.serverPids();
        double resident =
                pids.stream().mapToLong(ProcFsReader::residentMb).average().orElse(0);
        double threads = pids.stream().mapToInt(ProcFsReader::threads).average().orElse(0);
        IdleCost idle = idle(cluster, servers);
        Failover failover = failover(cluster, table, rows, servers);
        cluster.client().admin().dropTable(name);
        return new GrowthResult(
                servers, actors, startSeconds, placed, allCost, oneCost, resident, threads, idle, failover);
    }

    private static void checkWarm(Window... windows) {
        for (Window window : windows) {
            if (window.failed() + window.wrong() > 0) {
                throw new UniserveException(
                        ErrorCode.INTERNAL, "queries of the warm-up failed: " + String.join("; ", window.messages()));
            }
        }
    }

    private static void load(ClientTable table, long rows) {
        for (long from = 0; from < rows; from += BATCH) {
            List<Map<String, Object>> batch = new ArrayList<>();
            for (long i = from; i < Math.min(rows, from + BATCH); i++) {
                batch.add(Map.of(KEY, key(i), "amount", i));
            }
            table.updateDocuments(PUT, batch).run().orThrow();
        }
    }

    private static String key(long n) {
        return "key-" + n;
    }

    private static Optional<String> count(ClientTable table, long rows) {
        long found = table.all()
                .deadline(QUERY_DEADLINE)
                .retrieve(
                        COUNT,
                        "",
                        values -> values.stream().mapToLong(Long::longValue).sum());
        return found == rows ? Optional.empty() : Optional.of("the count is " + found + ", not " + rows);
    }

    private static Optional<String> get(ClientTable table, long n) {
        List<Document> found =
                table.key(key(n)).retrieve(GET, key(n), values -> values.size() == 1 ? values.get(0) : List.of());
        return found.size() == 1 && Long.valueOf(n).equals(found.get(0).fields().get("amount"))
                ? Optional.empty()
                : Optional.of(key(n) + " is " + found);
    }

    private QueryCost cost(GrowthCluster cluster, ClosedLoopClients clients, Query query, int servers, String label) {
        CpuMeter serversCpu = cluster.serversCpu();
        CpuMeter clientCpu = new CpuMeter(List.of(), true);
        double serversBefore = serversCpu.totalMs();
        double clientBefore = clientCpu.totalMs();
        long requestsBefore = ZooKeeperServerStats.read(cluster.zooKeeper()).received();
        Window window = clients.run(settings.seconds(), query);
        QueryCost cost = new QueryCost(
                window.queries(),
                window.failed(),
                window.wrong(),
                window.messages(),
                window.perSecond(),
                window.percentileMillis(0.5),
                serversCpu.totalMs() - serversBefore,
                clientCpu.totalMs() - clientBefore,
                (ZooKeeperServerStats.read(cluster.zooKeeper()).received() - requestsBefore) / window.seconds());
        note(
                servers,
                String.format(
                        Locale.ROOT,
                        "%s: %.0f/s, CPU of all servers %.3f ms per query, %d failed, %d wrong",
                        label,
                        cost.perSecond(),
                        cost.serversPerQuery(),
                        cost.failed(),
                        cost.wrong()));
        return cost;
    }

    private IdleCost idle(GrowthCluster cluster, int servers) {
        pause(SETTLE_MS);
        CpuMeter serversCpu = cluster.serversCpu();
        CpuMeter coordinatorCpu = cluster.coordinatorCpu();
        CpuMeter zooKeeperCpu = cluster.zooKeeperCpu();
        double serversBefore = serversCpu.totalMs();
        double coordinatorBefore = coordinatorCpu.totalMs();
        double zooKeeperBefore = zooKeeperCpu.totalMs();
        long requestsBefore = ZooKeeperServerStats.read(cluster.zooKeeper()).received();
        long start = nanos.getAsLong();
        pause(Math.round(settings.idleSeconds() * 1_000));
        IdleCost idle = IdleCost.of(
                secondsSince(start),
                servers,
                serversCpu.totalMs() - serversBefore,
                coordinatorCpu.totalMs() - coordinatorBefore,
                zooKeeperCpu.totalMs() - zooKeeperBefore,
                ZooKeeperServerStats.read(cluster.zooKeeper()).received() - requestsBefore);
        note(
                servers,
                String.format(
                        Locale.ROOT,
                        "idle: a server %.2f %% of a core, coordinator %.2f %%, ZooKeeper %.2f %% and %.1f requests/s",
                        idle.serverPercent(),
                        idle.coordinatorPercent(),
                        idle.zooKeeperPercent(),
                        idle.zooKeeperPerSecond()));
        return idle;
    }

    private Failover failover(GrowthCluster cluster, ClientTable table, long rows, int servers) {
        long kill = nanos.getAsLong();
        ServerId victim = cluster.kill();
        CompletableFuture<Double> update = CompletableFuture.supplyAsync(() -> updateAll(table, rows, kill));
        FailoverTimeline timeline = new FailoverTimeline(kill);
        while (!(timeline.isCalm() && update.isDone())) {
            long start = nanos.getAsLong();
            if (start - kill > CALM_TIMEOUT_NANOS) {
                throw new UniserveException(
                        ErrorCode.DEADLINE_EXCEEDED, "queries are not right again 3 minutes after a server was killed");
            }
            timeline.add(start, nanos.getAsLong(), outcome(table, rows));
        }
        cluster.awaitReplicas(table.name(), settings.replicas(), victim::equals);
        Failover failover = new Failover(
                timeline.queries(),
                timeline.count(Outcome.FAILED),
                timeline.count(Outcome.WRONG),
                timeline.count(Outcome.SLOW),
                timeline.rightAgainSeconds(),
                join(update),
                secondsSince(kill));
        note(
                servers,
                String.format(
                        Locale.ROOT,
                        "kill -9 of a server: queries right again after %.2f s (%d failed, %d wrong, %d slow of %d),"
                                + " update of all actors after %.2f s, all replicas after %.1f s",
                        failover.rightAgainSeconds(),
                        failover.failed(),
                        failover.wrong(),
                        failover.slow(),
                        failover.queries(),
                        failover.updateSeconds(),
                        failover.restoredSeconds()));
        return failover;
    }

    private static double join(CompletableFuture<Double> update) {
        try {
            return update.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.INTERNAL, "the update after the kill failed", e);
        }
    }

    /** Updates all rows with their own values. Returns the seconds since the kill. */
    private double updateAll(ClientTable table, long rows, long kill) {
        List<Map<String, Object>> batch = new ArrayList<>();
        for (long i = 0; i < rows; i++) {
            batch.add(Map.of(KEY, key(i), "amount", i));
        }
        table.updateDocuments(PUT, batch).deadline(UPDATE_DEADLINE).run().orThrow();
        return secondsSince(kill);
    }

    private static Outcome outcome(ClientTable table, long rows) {
        try {
            return count(table, rows).isPresent() ? Outcome.WRONG : Outcome.RIGHT;
        } catch (UniserveException e) {
            return Outcome.FAILED;
        }
    }

    private double secondsSince(long start) {
        return (nanos.getAsLong() - start) / 1e9;
    }

    private void pause(long millis) {
        ConditionWaiter.await(nanos, millis, () -> false);
    }

    private void note(int servers, String text) {
        console.note(servers + " servers: " + text);
    }
}
