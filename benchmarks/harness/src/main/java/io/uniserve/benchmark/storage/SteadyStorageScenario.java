package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.balance.OpenLoopClients;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Scenario: requests to the store of an idle cluster, and under a steady stream of small updates over many actors. */
final class SteadyStorageScenario {
    private static final String TABLE = "steady";
    private static final double IDLE_GOAL_PER_HOUR = 60;
    private static final double PUT_GOAL_PER_SERVER = 1.2;
    private static final double SECONDS_PER_HOUR = 3_600;
    private static final int REPLICAS = 2;
    private static final int CLIENTS = 64;
    private static final double DRAIN_SECONDS = 10;

    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final MeasuredStore store;
    private final StorageCluster cluster;

    SteadyStorageScenario(
            ResultCollector results, StorageBenchSettings settings, MeasuredStore store, StorageCluster cluster) {
        this.results = results;
        this.settings = settings;
        this.store = store;
        this.cluster = cluster;
    }

    void run() {
        int replicas = Math.min(REPLICAS, cluster.servers());
        cluster.client()
                .admin()
                .createTable(TableSpec.named(TABLE)
                        .port("kv")
                        .hash(settings.actors())
                        .replicas(replicas)
                        .keyField("key"));
        cluster.awaitReplicas(TABLE, replicas);
        ClientTable table = cluster.client().table(TABLE);
        StorageRows.load(table, settings.actors() * 4L);
        cluster.awaitShipped(TABLE);
        if (settings.has(StorageBenchPart.STEADY)) {
            steady(table);
        }
        if (settings.has(StorageBenchPart.IDLE)) {
            idle();
        }
        cluster.client().admin().dropTable(TABLE);
    }

    private void steady(ClientTable table) {
        long rows = settings.actors() * 64L;
        Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        results.note("steady: " + settings.updatesPerSecond() + " updates/s over " + settings.actors() + " actors");
        OpenLoopClients clients = new OpenLoopClients(CLIENTS, DRAIN_SECONDS, results.nanos());
        clients.load(
                settings.updatesPerSecond(),
                () -> pause(settings.steadySeconds() / 4),
                n -> put(table, n % rows, acknowledged));
        S3RequestCounts before = store.counts();
        long start = results.nanos().getAsLong();
        Window window = clients.measure(
                settings.updatesPerSecond(),
                () -> pause(settings.steadySeconds()),
                n -> put(table, n % rows, acknowledged));
        double seconds = results.secondsSince(start);
        S3RequestCounts counts = store.counts().minus(before);
        results.print(
                "steady: %.1f s, %.0f updates/s acknowledged, p50 %.1f ms, p99 %.1f ms; %s",
                seconds,
                window.perSecond(),
                window.percentileMillis(0.5),
                window.percentileMillis(0.99),
                counts.text());
        results.raw("steady", store.name(), seconds, window.queries(), window.failed(), counts.puts(), counts.total());
        String name = "steady, " + store.name() + ": ";
        results.atMost(name + "PUT/s per server", counts.puts() / seconds / cluster.servers(), PUT_GOAL_PER_SERVER);
        results.atMost(name + "failed updates", window.failed(), 0);
        results.atMost(name + "acknowledged rows that are missing", StorageRows.missing(table, acknowledged), 0);
    }

    private static Optional<String> put(ClientTable table, long n, Set<Long> acknowledged) {
        StorageRows.put(table, n);
        acknowledged.add(n);
        return Optional.empty();
    }

    private void idle() {
        cluster.awaitShipped(TABLE);
        pause(settings.settleSeconds());
        results.note("idle: " + settings.actors() + " actors, " + settings.idleSeconds() + " s");
        S3RequestCounts before = store.counts();
        long start = results.nanos().getAsLong();
        pause(settings.idleSeconds());
        S3RequestCounts counts = store.counts().minus(before);
        double hours = results.secondsSince(start) / SECONDS_PER_HOUR;
        results.print("idle: %.0f s; %s", hours * SECONDS_PER_HOUR, counts.text());
        results.raw("idle", store.name(), hours * SECONDS_PER_HOUR, counts.total());
        results.atMost("idle, " + store.name() + ": requests per hour", counts.total() / hours, IDLE_GOAL_PER_HOUR);
    }

    private void pause(double seconds) {
        ConditionWaiter.await(results.nanos(), Math.round(seconds * 1e3), () -> false);
    }
}
