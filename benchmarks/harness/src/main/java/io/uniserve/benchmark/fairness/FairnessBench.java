package io.uniserve.benchmark.fairness;

import io.uniserve.api.plan.Answer;
import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.Console;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** Measurements of {@code bench fairness}. Not thread-safe. */
final class FairnessBench {
    private static final int SERVERS = 2;
    private static final int ACTORS = 2;
    private static final int ROWS_AT_ONCE = 2_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration HOUR = Duration.ofHours(1);
    /** Time limit of a count query. A query without an answer by then has failed, and counts with this latency. */
    private static final Duration COUNT_DEADLINE = Duration.ofSeconds(10);

    /** Limit for the p99 of count queries during slow queries: the maximum time slice of a task, plus a fair share of the cores. */
    private static final double P99_MICROS_MAX = 250_000;

    private static final double P99 = 0.99;
    private static final String SLOW = "slow";
    private static final String OTHER = "other";
    /** A query that needs a read thread; brief operators may run on transport threads. */
    private static final String COUNT = "q=*:*&rows=0";

    private static final String RANGE = "type:range,field:n_i,start:0,end:90000,gap:1";
    private static final String ENDLESS =
            "q=*:*&rows=0&json.facet={a:{" + RANGE + ",facet:{b:{" + RANGE + "}}}}&start=";

    private final LongSupplier nanos;
    private final RawResultWriter raw;
    private final Scale scale;
    private final Path directory;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();

    /** Scale of a run; {@code slow} has a block per number of slow queries. */
    record Scale(int counts, int seconds, List<Integer> slow, int documents, boolean unfair) {}

    /** Count queries that ran concurrently with a number of slow queries. */
    private record Measured(BenchmarkIteration block, int failed) {}

    FairnessBench(LongSupplier nanos, RawResultWriter raw, Scale scale, Path directory, Console console) {
        this.nanos = nanos;
        this.raw = raw;
        this.scale = scale;
        this.directory = directory;
        this.console = console;
    }

    /** Returns one line per number of slow queries, for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    List<BenchmarkMetric> run() {
        try {
            runCluster(true);
            if (scale.unfair()) {
                runCluster(false);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
        return List.copyOf(figures);
    }

    private void runCluster(boolean fair) throws InterruptedException {
        ProcessClusterOptions options = ProcessClusterOptions.of(
                        directory.resolve(fair ? "fair" : "one-queue"), SERVERS, "solr")
                .with(Map.of("server.fair-reads", Boolean.toString(fair)));
        try (ProcessCluster cluster = new ProcessCluster(options)) {
            console.note("starting " + SERVERS + " servers, fair reads: " + fair);
            cluster.start();
            try (UniserveClient client = client(cluster, COUNT_DEADLINE)) {
                fill(client);
                report(fair, 0, measureCounts(client, fair, 0));
                for (int queries : scale.slow()) {
                    try (UniserveClient heavy = client(cluster, HOUR)) {
                        List<CompletionStage<Answer>> unused = IntStream.range(0, queries)
                                .mapToObj(i -> heavy.queryAsync(SLOW, ENDLESS + i))
                                .toList();
                        await(client, queries);
                        report(fair, queries, measureCounts(client, fair, queries));
                    }
                    long gone = nanos.getAsLong();
                    await(client, 0);
                    double seconds = (nanos.getAsLong() - gone) / 1e9;
                    rows.add(String.format(
                            Locale.ROOT, "  all of their work had ended %.1f s after their client closed", seconds));
                }
            }
        }
    }

    private static UniserveClient client(ProcessCluster cluster, Duration deadline) {
        return UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(new String[0]))
                .deadline(deadline)
                .connectTimeout(PATIENCE)
                .build();
    }

    private void fill(UniserveClient client) {
        for (String table : List.of(SLOW, OTHER)) {
            client.admin()
                    .createTable(
                            TableSpec.named(table).port("solr").hash(ACTORS).replicas(SERVERS));
            for (int from = 0; from < scale.documents(); from += ROWS_AT_ONCE) {
                List<Map<String, Object>> batch = IntStream.range(
                                from, Math.min(from + ROWS_AT_ONCE, scale.documents()))
                        .mapToObj(i -> Map.<String, Object>of("id", "d" + i, "n_i", (long) i))
                        .toList();
                client.table(table)
                        .updateDocuments("solr.add@1", batch)
                        .deadline(PATIENCE)
                        .run()
                        .orThrow();
            }
        }
    }

    /** Waits until this many plans of slow queries run; with 0, until none of their reads are left. */
    private static void await(UniserveClient client, int queries) throws InterruptedException {
        ConditionPoller.await(
                PATIENCE,
                () -> {
                    long running = client.admin().queries().stream()
                            .flatMap(server -> server.queries().stream())
                            .filter(query -> query.table().equals(SLOW))
                            .filter(query -> queries == 0 || query.operator().equals("plan"))
                            .count();
                    return running == queries ? Optional.of(true) : Optional.empty();
                },
                () -> "expected " + queries + " running slow queries; see uniserve queries list");
    }

    private Measured measureCounts(UniserveClient client, boolean fair, int queries) {
        List<Long> latencies = new ArrayList<>();
        int failed = 0;
        long end = nanos.getAsLong() + scale.seconds() * 1_000_000_000L;
        while (latencies.size() < scale.counts() && (latencies.isEmpty() || nanos.getAsLong() < end)) {
            long start = nanos.getAsLong();
            try {
                Answer unused = client.query(OTHER, COUNT);
            } catch (UniserveException e) {
                failed++;
            }
            latencies.add(nanos.getAsLong() - start);
        }
        long[] all = latencies.stream().mapToLong(Long::longValue).toArray();
        long[] sorted = all.clone();
        Arrays.sort(sorted);
        String side = fair ? "fair" : "one queue";
        BenchmarkIteration benchmarkIteration =
                new BenchmarkIteration(side, sorted, Arrays.stream(all).sum() / 1e6, 0);
        raw.write(
                new PairedBenchmark.Load("count beside " + queries, 1, all.length, 1),
                side,
                0,
                List.of(all),
                benchmarkIteration);
        return new Measured(benchmarkIteration, failed);
    }

    private void report(boolean fair, int queries, Measured measured) {
        BenchmarkIteration benchmarkIteration = measured.block();
        double p99 = benchmarkIteration.percentileMicros(P99);
        rows.add(String.format(
                Locale.ROOT,
                "%s, beside %d slow queries: %d counts, %d failed, p50 %.0f us, p99 %.0f us, longest %.0f us",
                fair ? "fair" : "one queue",
                queries,
                benchmarkIteration.latenciesNanos().length,
                measured.failed(),
                benchmarkIteration.percentileMicros(0.5),
                p99,
                benchmarkIteration.percentileMicros(1)));
        if (fair && queries > 0) {
            figures.add(
                    BenchmarkMetric.atMost("count beside " + queries + " slow queries: p99 us", p99, P99_MICROS_MAX));
            figures.add(
                    BenchmarkMetric.atMost("count beside " + queries + " slow queries: failed", measured.failed(), 0));
        }
    }
}
