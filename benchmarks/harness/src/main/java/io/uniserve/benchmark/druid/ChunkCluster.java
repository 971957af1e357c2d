package io.uniserve.benchmark.druid;

import io.uniserve.api.Document;
import io.uniserve.cli.command.Console;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.placement.ChunkPolicy.AgeModel;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import io.uniserve.runtime.time.ScaledWallClock;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Uniserve as a cluster of processes with the Druid port and tables partitioned by time. Its daemons' wall clock runs fast, because a chunk
 * is minutes long at least. Its JVMs use one compiler: with two, a server with a CPU limit compiles for minutes. Chunks are placed by one
 * policy and never move. Thread-safe for queries.
 */
final class ChunkCluster implements AutoCloseable {
    /** Length of a unit of the benchmark on the daemons' clock. */
    static final long UNIT_MILLIS = 600_000;

    /** Time from the start of the processes until the clock runs fast: enough to load the first chunks and to warm up. */
    private static final long START_MILLIS = 40_000;

    private static final String ENGINE = "druid";
    private static final String APPEND = "druid.append@1";
    private static final String TIME = "ts";
    private static final String KEY = "page";
    private static final int KEYS = 200;
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Duration APPEND_DEADLINE = Duration.ofMinutes(2);
    private static final String SERVER = "server-";

    private final ScaledWallClock clock;
    private final ProcessCluster cluster;
    private final UniserveClient client;
    private final int first;

    /**
     * Starts ZooKeeper, a coordinator and servers, and connects.
     *
     * @param policy value of {@code coordinator.placement.chunks}
     * @param unitSeconds real length of a unit
     */
    ChunkCluster(Path directory, int servers, String heap, String policy, double unitSeconds) {
        first = servers;
        clock = new ScaledWallClock(
                SystemClock.INSTANCE.wallMillis() + START_MILLIS, UNIT_MILLIS / (unitSeconds * 1_000));
        ProcessClusterOptions base = UniserveDruidCluster.options(directory, servers, heap);
        JavaLauncher java = base.java();
        List<String> flags = new ArrayList<>(java.flags());
        flags.add("-D" + ScaledWallClock.PROPERTY + "=" + clock.text());
        String period = Math.max(100, Math.round(unitSeconds * 250)) + "ms";
        String halfLife = Math.max(100, Math.round(unitSeconds * 500)) + "ms";
        cluster = new ProcessCluster(
                base.with(new JavaLauncher(java.java(), java.home(), java.classPath(), java.main(), flags))
                        .with(Map.of(
                                "coordinator.placement.chunks",
                                policy,
                                "coordinator.placement.loads-period",
                                period,
                                "server.load-half-life",
                                halfLife))
                        .withFastStart());
        try {
            cluster.start();
            client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .deadline(DEADLINE)
                    .connectTimeout(Duration.ofMinutes(1))
                    .build();
        } catch (UniserveException e) {
            cluster.close();
            throw e;
        }
    }

    /** Time on the daemons' wall clock, in milliseconds since 1970. */
    long now() {
        return clock.millisAt(SystemClock.INSTANCE.wallMillis());
    }

    /** Real seconds until the clock runs fast; negative afterwards. */
    double secondsToOrigin() {
        return (clock.originMillis() - SystemClock.INSTANCE.wallMillis()) / 1e3;
    }

    static ChunkCalendar calendar(ChunkScenario.Table table) {
        return new ChunkCalendar(
                IsoPeriod.parse("chunk", Duration.ofMillis(table.chunkMillis()).toString()), ZoneOffset.UTC);
    }

    void create(ChunkScenario.Table table) {
        Duration retention = Duration.ofMillis(table.retentionMillis());
        client.admin()
                .createTable(TableSpec.named(table.name())
                        .port(ENGINE)
                        .keyField(KEY)
                        .partitioner(new Partitioner.Time(
                                TIME,
                                calendar(table),
                                table.buckets(),
                                Optional.of(IsoPeriod.parse("retention", retention.toString())),
                                IsoPeriod.parse("ahead", "P30D")))
                        .option("dataSchema", schema(table.name())));
    }

    private static String schema(String name) {
        Map<String, @Nullable Object> schema = new LinkedHashMap<>();
        schema.put("dataSource", name);
        schema.put("timestampSpec", Map.of("column", TIME, "format", "millis"));
        schema.put("dimensionsSpec", Map.of("dimensions", List.of(KEY)));
        schema.put("metricsSpec", List.of(Map.of("type", "longSum", "name", "added", "fieldName", "added")));
        schema.put(
                "granularitySpec", Map.of("segmentGranularity", "HOUR", "queryGranularity", "NONE", "rollup", false));
        return Console.toJson(schema);
    }

    /** Appends the rows of a whole chunk by one update. */
    void append(ChunkScenario.Table table, long start, long end) {
        int rows = table.rows() * table.buckets();
        List<Document> documents = new ArrayList<>(rows);
        for (int i = 0; i < rows; i++) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put(KEY, "p" + i % KEYS);
            fields.put(TIME, start + i * (end - start) / rows);
            fields.put("added", (long) i);
            documents.add(new Document(KEY, fields));
        }
        client.table(table.name())
                .update(APPEND, Document.CODEC, documents)
                .deadline(APPEND_DEADLINE)
                .run()
                .orThrow();
    }

    /** Groups the rows of an interval by key and returns the sum of {@code added} as JSON. */
    String query(ChunkScenario.Table table, long start, long end) {
        Map<String, @Nullable Object> query = new LinkedHashMap<>();
        query.put("queryType", "groupBy");
        query.put("dataSource", table.name());
        query.put("granularity", "all");
        query.put("intervals", Instant.ofEpochMilli(start) + "/" + Instant.ofEpochMilli(end));
        query.put("dimensions", List.of(KEY));
        query.put("aggregations", List.of(Map.of("type", "longSum", "name", "added", "fieldName", "added")));
        return client.query(table.name(), Console.toJson(query)).body().utf8();
    }

    /** Lines as of {@code explain-chunk} for the chunk with this time. */
    List<String> explain(String table, long millis) {
        ChunkExplanation explanation = client.admin().explainChunk(table, millis);
        List<String> lines = new ArrayList<>();
        lines.add("explain-chunk " + table + " " + explanation.start() + ": policy " + explanation.policy());
        explanation.decision().model().ifPresent(model -> {
            lines.add("  model:     " + text(model));
            lines.add(String.format(
                    Locale.ROOT,
                    "  predicted: %.4g ms of CPU per actor of the chunk",
                    explanation.decision().predicted()));
        });
        explanation
                .decision()
                .costs()
                .forEach(cost -> lines.add(String.format(
                        Locale.ROOT,
                        "  server %.8s: %.4g %s%s",
                        cost.server().value(),
                        cost.cost(),
                        explanation.decision().unit(),
                        explanation.decision().places().stream().anyMatch(servers -> servers.contains(cost.server()))
                                ? ", chosen"
                                : "")));
        return lines;
    }

    private static String text(AgeModel model) {
        return String.format(
                Locale.ROOT,
                "a %.4g, alpha %.4g, b %.4g, c %.4g, beta %.4g; error %.1f %%, from %s: %d actors of %d ages",
                model.a(),
                model.alpha(),
                model.b(),
                model.c(),
                model.beta(),
                100 * model.error(),
                model.source(),
                model.observations(),
                model.ages());
    }

    /** Number of live actors of all tables by server, in the order of the servers' ids. */
    List<Integer> actorsByServer() {
        Map<String, Integer> counts = new TreeMap<>();
        var status = client.admin().status();
        status.routing().servers().forEach(server -> counts.put(server.id().value(), 0));
        status.routing()
                .tables()
                .forEach(table -> table.map()
                        .actors()
                        .forEach(
                                actor -> actor.isr().forEach(server -> counts.merge(server.value(), 1, Integer::sum))));
        return List.copyOf(counts.values());
    }

    /** Starts servers beside the first ones and waits until they serve. Returns their processes. */
    List<Long> join(int servers) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= servers; i++) {
            names.add(SERVER + (first + i));
        }
        names.forEach(cluster::launchServer);
        names.forEach(cluster::await);
        return names.stream().map(name -> cluster.daemon(name).pid()).toList();
    }

    /** Processes of all servers, in the order of their names. */
    List<Long> serverPids() {
        return cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith(SERVER))
                .sorted(Comparator.comparing(DaemonProcess::name))
                .map(DaemonProcess::pid)
                .toList();
    }

    @Override
    public void close() {
        client.close();
        cluster.close();
    }
}
