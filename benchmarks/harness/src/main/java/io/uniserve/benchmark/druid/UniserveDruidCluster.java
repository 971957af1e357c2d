package io.uniserve.benchmark.druid;

import io.uniserve.api.Document;
import io.uniserve.benchmark.balance.BalancingCluster;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Uniserve as a cluster of processes with the Druid port. A table has one actor per chunk: found by the number of the chunk in each row. Not
 * thread-safe, except for queries and rows.
 */
final class UniserveDruidCluster implements AutoCloseable {
    private static final long IN_SYNC_TIMEOUT_MS = 300_000;
    private static final String ENGINE = "druid";
    /** Below the default of 20 s, as native Druid's coordinator looks for lost segments each second and not each minute. */
    private static final String LOSS_GRACE = "3s";

    static final String APPEND = "druid.append@1";
    /** Rows of an actor that the port keeps in memory until it writes a segment. */
    private static final int PENDING_ROWS = 25_000;
    /** Chunks with fewer rows stay in memory: they do not matter, and to write them would take many segments. */
    private static final int SEALED_ROWS_MIN = 1_000;
    /** The port keeps a quarter of the pending rows in memory, so a segment of filler rows of a small chunk is smaller than that. */
    private static final int FILLER_ROWS_MAX = 6_000;
    /** Filler rows lie after the time of all rows and queries. */
    private static final LocalDate FILLER_TIME = LocalDate.of(2100, 1, 1);
    /** Key of a row: the number of its chunk. */
    static final String KEY = "chunk";

    private final BalancingCluster cluster;
    private final UniserveClient client;

    /**
     * Starts ZooKeeper, a coordinator and servers, and connects.
     *
     * @param deadline of queries
     */
    UniserveDruidCluster(ProcessClusterOptions options, Duration deadline) {
        cluster = new BalancingCluster(options, deadline);
        client = cluster.client();
    }

    static ProcessClusterOptions options(java.nio.file.Path directory, int servers, String heap) {
        JavaLauncher java = JavaLauncher.ofThisProcess();
        List<String> flags = new ArrayList<>(java.flags());
        flags.addAll(DruidServiceOptions.JVM);
        return ProcessClusterOptions.of(directory, servers, ENGINE)
                .withHeap(heap)
                .with(Map.of("coordinator.loss-grace", LOSS_GRACE))
                .with(new JavaLauncher(java.java(), java.home(), java.classPath(), java.main(), flags));
    }

    List<Long> serverPids() {
        return cluster.serverPids();
    }

    /** Creates a table with an actor per chunk and waits until all replicas of all actors are in sync. */
    void create(String table, List<LineitemChunks.Chunk> chunks, int replicas) {
        List<Long> bounds = new ArrayList<>();
        for (long number = 1; number < chunks.size(); number++) {
            bounds.add(number);
        }
        client.admin()
                .createTable(TableSpec.named(table)
                        .port(ENGINE)
                        .keyField(KEY)
                        .range(bounds)
                        .replicas(replicas)
                        .onLoss(OnLoss.RESTORE_ACTOR)
                        .option("dataSchema", DruidSchema.dataSchema(table)));
        awaitInSync(table, actor -> actor.isr().size() == replicas);
    }

    /**
     * Appends the rows of a chunk by one update, and as many filler rows of a later time as the port needs to write a segment. They are
     * acknowledged and visible on return.
     */
    void appendSealed(String table, LineitemChunks.Chunk chunk, int actor) {
        List<Document> rows = documents(chunk.lines(), actor);
        int pending = rows.size() % PENDING_ROWS;
        if (pending >= SEALED_ROWS_MIN) {
            // A larger chunk becomes a segment after one that has all filler rows, and nothing stays in memory.
            int each = pending > PENDING_ROWS / 4 ? PENDING_ROWS : Math.min(pending - 1, FILLER_ROWS_MAX);
            for (int i = 0; i < PENDING_ROWS - pending; i++) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                fields.put(LineitemChunks.TIME, millis(FILLER_TIME.plusMonths(i / each)));
                fields.put(KEY, (long) actor);
                rows.add(new Document(KEY, fields));
            }
        }
        append(table, rows);
    }

    /** Appends rows by one update. They are acknowledged and visible on return. */
    void append(String table, List<Document> rows) {
        table(table)
                .update(APPEND, Document.CODEC, rows)
                .deadline(Duration.ofMinutes(10))
                .run()
                .orThrow();
    }

    /** Returns the rows of lines as documents: the time as milliseconds, metrics as numbers, dimensions as texts. */
    static List<Document> documents(List<String> lines, int actor) {
        List<Document> documents = new ArrayList<>(lines.size());
        for (String line : lines) {
            documents.add(document(line, actor));
        }
        return documents;
    }

    private static Document document(String line, long actor) {
        String[] values = line.split("\\|", -1);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            String column = LineitemChunks.COLUMNS.get(i);
            String type = LineitemChunks.METRICS.get(column);
            if (column.equals(LineitemChunks.TIME)) {
                fields.put(column, millis(LocalDate.parse(values[i])));
            } else if (type == null) {
                fields.put(column, values[i]);
            } else if (type.startsWith("long")) {
                fields.put(column, Long.valueOf(values[i]));
            } else {
                fields.put(column, Double.valueOf(values[i]));
            }
        }
        fields.put(KEY, actor);
        return new Document(KEY, fields);
    }

    private static long millis(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }

    /** Answers a native query, as JSON. */
    String query(String table, String json) {
        return client.query(table, json).body().utf8();
    }

    /** Answers a native query, or fails after the deadline of a person who waits. */
    String queryShortly(String table, String json) {
        return client.query(table, json, DruidHttpClient.SHORT).body().utf8();
    }

    /** Answers a native query of one chunk, by its actor only. */
    String query(String table, int actor, String json) {
        return table(table).key(actor).query(json).body().utf8();
    }

    private ClientTable table(String name) {
        return client.table(name);
    }

    /**
     * Configuration with automatic copies on all servers, that react within seconds: for short measurements. Without it nothing moves.
     */
    static Map<String, String> automaticCopies(int servers) {
        return Map.of(
                "coordinator.rebalance.period",
                "2s",
                "coordinator.rebalance.copies-max",
                Integer.toString(servers),
                "server.load-half-life",
                "2s");
    }

    /** Returns the replicas of an actor that are in sync. */
    int replicas(String table, int actor) {
        return client.admin().describeTable(table).map().actors().stream()
                .filter(state -> state.actor() == actor)
                .mapToInt(state -> state.isr().size())
                .sum();
    }

    /** Returns the line of {@code status} about the automatic copies of an actor; a line that says so if there is none. */
    String copies(String table, int actor) {
        return client.admin().status().rebalance().copies().stream()
                .filter(copies -> copies.table().value().equals(table) && copies.actor() == actor)
                .map(copies -> copies.replicas() + " replicas, " + copies.requested() + " without automatic copies; "
                        + copies.reason())
                .findFirst()
                .orElse("no automatic copies, not hot");
    }

    /** Gives the actor of the chunk with this index this many replicas and waits until all are in sync. */
    void replicate(String table, int actor, int copies) {
        client.admin().replicateActor(table, actor, copies);
        awaitInSync(table, state -> state.actor() != actor || state.isr().size() == copies);
    }

    private void awaitInSync(String table, Predicate<ActorState> inSync) {
        boolean all = ConditionWaiter.await(
                SystemClock.INSTANCE::nanos,
                IN_SYNC_TIMEOUT_MS,
                () -> client.admin().describeTable(table).map().actors().stream()
                        .allMatch(inSync));
        if (!all) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "replicas of table " + table + " are not in sync");
        }
    }

    /** Waits until durable storage has all log entries of all actors: the loss of a server loses no row after that. */
    void awaitStored(String table) {
        long id = client.admin().describeTable(table).meta().tableId();
        boolean all = ConditionWaiter.await(SystemClock.INSTANCE::nanos, IN_SYNC_TIMEOUT_MS, () -> {
            Set<ReplicaKey> stored = new HashSet<>();
            client.admin()
                    .status()
                    .loads()
                    .forEach(load -> load.replicas().stream()
                            .filter(replica -> replica.key().tableId() == id)
                            .filter(replica ->
                                    replica.backupIndex() >= 0 && replica.backupIndex() >= replica.lastIndex())
                            .forEach(replica -> stored.add(replica.key())));
            return stored.size()
                    == client.admin().describeTable(table).map().actors().size();
        });
        if (!all) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED, "durable storage does not have all of table " + table);
        }
    }

    /** Returns the number of replicas by server. */
    Map<String, Integer> actorsByServer(String table) {
        Map<String, Integer> counts = new TreeMap<>();
        client.admin()
                .describeTable(table)
                .map()
                .actors()
                .forEach(actor -> actor.isr().forEach(server -> counts.merge(String.valueOf(server), 1, Integer::sum)));
        return counts;
    }

    void drop(String table) {
        client.admin().dropTable(table);
    }

    /** Sends SIGKILL to a server. */
    void kill(String server) {
        cluster.daemon(server).kill();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
