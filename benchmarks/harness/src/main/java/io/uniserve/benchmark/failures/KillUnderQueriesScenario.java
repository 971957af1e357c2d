package io.uniserve.benchmark.failures;

import io.uniserve.api.Document;
import io.uniserve.benchmark.demo.DemoQueries;
import io.uniserve.benchmark.demo.DemoQuery;
import io.uniserve.benchmark.demo.EuroparlDocument;
import io.uniserve.benchmark.demo.QueryLoadGenerator;
import io.uniserve.benchmark.demo.QuerySample;
import io.uniserve.benchmark.demo.QueryTimeline;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.OnLoss;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Scenario of the papers' failure figure: 500 queries per minute for each table, at fixed times independent of earlier answers. The tables
 * differ in their replication factor. One server is killed for good in the middle.
 */
final class KillUnderQueriesScenario {
    static final int SERVERS_MIN = 2;
    private static final String VICTIM = "server-1";
    private static final int ACTORS = 8;
    private static final int BATCH = 500;
    private static final int QUERIES = 200;
    private static final int QUERIES_PER_MINUTE = 500;
    private static final double RECOVERED_GOAL = 30;
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final List<EuroparlDocument> documents;
    private final List<DemoQuery> queries;

    /** Queries of one table. All times are relative to the start of the first. */
    record Run(int rf, List<QuerySample> samples, double killSeconds) {
        int failed() {
            return (int) samples.stream().filter(QuerySample::failed).count();
        }

        int wrong() {
            return (int) samples.stream().filter(QuerySample::isWrong).count();
        }

        /** Returns the seconds from the kill to the end of the last failed query; 0 if none failed. */
        double outageSeconds() {
            return samples.stream()
                    .filter(QuerySample::failed)
                    .mapToDouble(s -> (s.startNanos() + s.latencyNanos()) / ResultCollector.NANOS - killSeconds)
                    .max()
                    .orElse(0);
        }
    }

    KillUnderQueriesScenario(
            ResultCollector resultCollector, FailingCluster cluster, List<EuroparlDocument> documents) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.documents = documents;
        this.queries = new DemoQueries(documents, 1).make(QUERIES);
    }

    /** Loads one table per replication factor, sends queries for this many minutes, and kills a server in the middle. */
    List<Run> run(List<Integer> rfs, double minutes) {
        try (UniserveClient client = UniserveClient.builder()
                .bootstrap(cluster.processes().bootstrap().toArray(String[]::new))
                .deadline(DEADLINE)
                .build()) {
            rfs.forEach(this::load);
            rfs.forEach(rf -> warmUp(client, rf));
            List<TableQueries> askings =
                    rfs.stream().map(rf -> startQueries(client, rf)).toList();
            double killSeconds = runAndKill(askings, minutes);
            return askings.stream()
                    .map(asking -> new Run(asking.rf(), asking.timeline().samples(), killSeconds))
                    .map(this::report)
                    .toList();
        }
    }

    /** Queries of one table and their outcomes. */
    private record TableQueries(int rf, QueryLoadGenerator load, QueryTimeline timeline) {
        void send(DemoQuery query) {
            timeline.add(load.runQuery(query));
        }
    }

    private TableQueries startQueries(UniserveClient client, int rf) {
        QueryTimeline timeline = new QueryTimeline();
        return new TableQueries(
                rf,
                new QueryLoadGenerator(
                        queries, text -> client.query(table(rf), text), resultCollector.nanos(), timeline),
                timeline);
    }

    private static String table(int rf) {
        return "copies" + rf;
    }

    private void load(int rf) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named(table(rf))
                        .port("solr")
                        .hash(ACTORS)
                        .replicas(rf)
                        .onLoss(OnLoss.RESTORE_ACTOR)
                        .keyField(EuroparlDocument.KEY_FIELD));
        ProgressBar progress = resultCollector.progress("loading the table of rf " + rf, documents.size());
        for (int at = 0; at < documents.size(); at += BATCH) {
            List<Document> rows = documents.subList(at, Math.min(documents.size(), at + BATCH)).stream()
                    .map(EuroparlDocument::row)
                    .toList();
            cluster.client()
                    .table(table(rf))
                    .update("solr.add@1", Document.CODEC, rows)
                    .deadline(Duration.ofMinutes(2))
                    .run()
                    .orThrow();
            progress.update(at + rows.size(), "");
        }
        progress.finish();
        cluster.settle(table(rf));
        cluster.awaitApplied(table(rf));
        long shipped = cluster.awaitShipped(table(rf));
        resultCollector.note("rf " + rf + ": " + shipped + " log entries, all of them, are in durable storage");
    }

    /** Sends every query until it is answered correctly once. */
    private void warmUp(UniserveClient client, int rf) {
        QueryLoadGenerator load = startQueries(client, rf).load();
        ProgressBar progress = resultCollector.progress("warming up rf " + rf, queries.size());
        for (int i = 0; i < queries.size(); i++) {
            DemoQuery query = queries.get(i);
            cluster.await(
                    "a right answer to " + query.text(),
                    () -> load.runQuery(query).problem().isEmpty());
            progress.update(i + 1, "");
        }
        progress.finish();
    }

    /** Sends the queries. Returns the seconds from the first query to the kill. */
    private double runAndKill(List<TableQueries> askings, double minutes) {
        int total = (int) Math.max(2, Math.round(QUERIES_PER_MINUTE * minutes));
        long period = TimeUnit.MINUTES.toNanos(1) / QUERIES_PER_MINUTE;
        ProgressBar progress = resultCollector.progress("asking for " + minutes + " minutes", total);
        ExecutorService pool = Executors.newCachedThreadPool();
        double killed = Double.NaN;
        try {
            long start = resultCollector.nanos().getAsLong();
            for (int i = 0; i < total; i++) {
                waitUntil(start + i * period);
                if (i == total / 2) {
                    killed = resultCollector.secondsSince(start);
                    cluster.processes().daemon(VICTIM).killWithoutWait();
                }
                DemoQuery query = queries.get(i % queries.size());
                askings.forEach(asking -> pool.execute(() -> asking.send(query)));
                progress.update(i + 1L, i < total / 2 ? "" : VICTIM + " is dead");
            }
            progress.finish();
            cluster.await(
                    "every query has ended",
                    () -> askings.stream()
                            .allMatch(asking -> asking.timeline().samples().size() == total));
        } finally {
            pool.shutdownNow();
        }
        return killed;
    }

    private void waitUntil(long at) {
        for (long left = at - resultCollector.nanos().getAsLong();
                left > 0;
                left = at - resultCollector.nanos().getAsLong()) {
            LockSupport.parkNanos(left);
        }
    }

    private Run report(Run run) {
        String name = "queries, rf " + run.rf();
        for (QuerySample s : run.samples()) {
            String verdict = s.failed() ? "failed" : s.isWrong() ? "wrong" : "right";
            resultCollector.raw("query", run.rf(), s.startNanos(), s.latencyNanos(), verdict, s.kind());
        }
        resultCollector.raw("kill", run.rf(), Math.round(run.killSeconds() * ResultCollector.NANOS));
        resultCollector.atMost(name + ": wrong", run.wrong(), 0);
        if (run.rf() == 1) {
            resultCollector.atMost(name + ": last failure after the kill, s", run.outageSeconds(), RECOVERED_GOAL);
        } else {
            resultCollector.atMost(name + ": failed", run.failed(), 0);
        }
        List<Double> seconds = run.samples().stream()
                .filter(s -> !s.failed())
                .map(s -> s.latencyNanos() / ResultCollector.NANOS)
                .toList();
        resultCollector.print(
                "%d queries, %d failed; answers p50 %.0f ms, p99 %.0f ms, longest %.2f s; %s killed at %.1f s%s",
                run.samples().size(),
                run.failed(),
                1e3 * ResultCollector.percentile(seconds, 0.5),
                1e3 * ResultCollector.percentile(seconds, 0.99),
                ResultCollector.maxOf(seconds),
                VICTIM,
                run.killSeconds(),
                run.samples().stream()
                        .filter(s -> !s.problem().isEmpty())
                        .findFirst()
                        .map(s -> "; first trouble: " + s.problem())
                        .orElse(""));
        return run;
    }
}
