package io.uniserve.benchmark.shuffle;

import io.uniserve.api.Document;
import io.uniserve.benchmark.measure.ProcFsReader;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Resource usage of shuffled joins of two tables, on servers in processes of their own. Not thread-safe. */
final class ShuffledJoinBench implements AutoCloseable {
    private static final String PORT = "duckdb";
    private static final int ROW_BYTES = 1_024;
    private static final int BATCH_ROWS = 4_096;
    private static final long LOOK_MILLIS = 5;
    private static final Pattern STEP = Pattern.compile("(shuffle|joined in) [^\"]*? bytes, [^\"]*? in files");

    private final ProcessCluster cluster;
    private final UniserveClient client;

    /** Maximum threads while joins ran, and the peak of memory so far. */
    record Usage(int threads, long peakMb) {}

    /** Starts ZooKeeper, a coordinator and servers. */
    ShuffledJoinBench(Path directory, int servers) {
        cluster = new ProcessCluster(ProcessClusterOptions.of(directory, servers, PORT));
        try {
            cluster.start();
            client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .deadline(Duration.ofMinutes(2))
                    .connectTimeout(Duration.ofMinutes(1))
                    .build();
        } catch (UniserveException e) {
            cluster.close();
            throw e;
        }
    }

    /** Creates two tables with this many actors, and with rows of a kilobyte so that each chunk has {@code rowsOfChunk}. */
    void load(int actors, int rowsOfChunk) {
        int rows = rows(actors, rowsOfChunk);
        for (String side : List.of("a", "b")) {
            client.admin()
                    .createTable(TableSpec.named(side + actors)
                            .port(PORT)
                            .keyField("id")
                            .hash(actors)
                            .replicas(1)
                            .option("columns", "id bigint, k bigint, pad varchar"));
            Random random = new Random(actors);
            for (int from = 0; from < rows; from += BATCH_ROWS) {
                List<Document> batch = new ArrayList<>();
                for (int row = from; row < Math.min(rows, from + BATCH_ROWS); row++) {
                    byte[] pad = new byte[ROW_BYTES * 3 / 4];
                    random.nextBytes(pad);
                    // A permutation: each row of one table matches one row of the other.
                    long k = side.equals("a") ? row : rows - 1L - row;
                    batch.add(new Document(
                            "id",
                            Map.of(
                                    "id",
                                    (long) row,
                                    "k",
                                    k,
                                    "pad",
                                    Base64.getEncoder().encodeToString(pad))));
                }
                client.table(side + actors)
                        .update(PORT + ".put@1", Document.CODEC, batch)
                        .run()
                        .orThrow();
            }
        }
    }

    private static int rows(int actors, int rowsOfChunk) {
        return actors * actors * rowsOfChunk;
    }

    private static String sql(int actors) {
        return "SELECT /*+ shuffle */ count(*) AS n, sum(char_length(a.pad)) + sum(char_length(b.pad)) AS l FROM a"
                + actors + " AS a JOIN b" + actors + " AS b ON a.k = b.k";
    }

    /** Joins both tables a few times. Returns the usage per server, by its name. */
    Map<String, Usage> join(int actors, int rowsOfChunk, int times) {
        Map<String, Integer> threads = new TreeMap<>();
        ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
        try {
            ScheduledFuture<?> looking = looks.scheduleAtFixedRate(
                    () -> servers()
                            .forEach(server ->
                                    threads.merge(server.name(), ProcFsReader.threads(server.pid()), Math::max)),
                    0,
                    LOOK_MILLIS,
                    TimeUnit.MILLISECONDS);
            for (int i = 0; i < times; i++) {
                String answer = client.query("a" + actors, sql(actors)).body().utf8();
                int rows = rows(actors, rowsOfChunk);
                String expected = "[" + rows + "," + 2L * rows * ROW_BYTES + "]";
                if (!answer.replaceAll("[\\s\"]", "").contains(expected)) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL, "the join's answer is " + answer + ", without " + expected);
                }
            }
            looking.cancel(false);
        } finally {
            looks.shutdown();
        }
        try {
            if (!looks.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new UniserveException(ErrorCode.INTERNAL, "counting of the servers' threads did not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
        Map<String, Usage> taken = new TreeMap<>();
        servers()
                .forEach(server -> taken.put(
                        server.name(),
                        new Usage(threads.getOrDefault(server.name(), 0), ProcFsReader.peakMb(server.pid()))));
        return taken;
    }

    /** Returns the stages of the join from EXPLAIN: rows, bytes, and bytes from other servers. */
    List<String> steps(int actors) {
        String plan =
                client.query("a" + actors, "EXPLAIN " + sql(actors)).body().utf8();
        return STEP.matcher(plan).results().map(found -> found.group()).toList();
    }

    private List<DaemonProcess> servers() {
        return cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .toList();
    }

    @Override
    public void close() {
        client.close();
        cluster.close();
    }
}
