package io.uniserve.benchmark.ycsb;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareChannels;
import io.uniserve.benchmark.floor.BareRequest;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.client.TableSpec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Part bulk: one insert of several megabytes, atomic over four actors by two-phase commit, and the same insert into the bare engine behind
 * its log. The sides alternate; each round has keys of its own.
 */
final class YcsbBulkBench {
    /** At most one and a half times the time of the bare engine. */
    private static final double GOAL = 1 / 1.5;

    private static final int ACTORS = 4;
    private static final double MEGABYTE = 1e6;
    /** Amounts by which small inserts have more rounds. */
    private static final int COUNTED_MEGABYTES = 20;

    private static final int WARM_UP_MEGABYTES = 20;

    private final YcsbSettings settings;
    private final YcsbReport report;
    private final LongSupplier nanos;

    YcsbBulkBench(YcsbSettings settings, YcsbReport report, LongSupplier nanos) {
        this.settings = settings;
        this.report = report;
        this.nanos = nanos;
    }

    void run(YcsbPort port, UniserveYcsbCluster cluster, BareYcsbEngines bare) {
        if (!port.numbers()) {
            report.skip("part bulk of port " + port.port() + ": it has eventual tables only");
            return;
        }
        try (BareChannels engine = new BareChannels(bare.addresses())) {
            for (int megabytes : settings.bulk()) {
                measure(port, megabytes, cluster, engine);
            }
        }
    }

    private void measure(YcsbPort port, int megabytes, UniserveYcsbCluster cluster, BareChannels engine) {
        int rowBytes = Document.CODEC.encode(port.bulkRow(1_000_000)).size();
        int rows = (int) (megabytes * MEGABYTE / rowBytes);
        int counted = Math.max(settings.rounds(), COUNTED_MEGABYTES / megabytes);
        int rounds = counted + Math.max(1, WARM_UP_MEGABYTES / megabytes);
        String table = "bulk" + megabytes;
        create(port, table, (long) rows * rounds, cluster);
        long[] ours = new long[rounds];
        long[] theirs = new long[rounds];
        for (int round = 0; round < rounds; round++) {
            List<Document> documents = rows(port, rows, round, rounds);
            long start = nanos.getAsLong();
            if (round % 2 == 0) {
                insert(port, table, documents, cluster);
                ours[round] = nanos.getAsLong() - start;
                start = nanos.getAsLong();
                insert(documents, engine);
                theirs[round] = nanos.getAsLong() - start;
            } else {
                insert(documents, engine);
                theirs[round] = nanos.getAsLong() - start;
                start = nanos.getAsLong();
                insert(port, table, documents, cluster);
                ours[round] = nanos.getAsLong() - start;
            }
        }
        double mine = meanMillis(ours, counted);
        double peer = meanMillis(theirs, counted);
        report.figure(BenchmarkMetric.lessIsBetter(
                "bulk " + port.port() + " " + megabytes + " MB: ms over the bare engine", mine, peer, GOAL));
        report.row(
                "bulk %s %d MB, %d rows: two-phase over %d actors %.1f ms, bare engine %.1f ms, time ratio %.2f",
                port.port(), megabytes, rows, ACTORS, mine, peer, mine / peer);
        cluster.client().admin().dropTable(table);
    }

    /** Mean of the last rounds. */
    private static double meanMillis(long[] rounds, int counted) {
        double sum = 0;
        for (int i = rounds.length - counted; i < rounds.length; i++) {
            sum += rounds[i] / 1e6;
        }
        return sum / counted;
    }

    private void create(YcsbPort port, String table, long keys, UniserveYcsbCluster cluster) {
        List<Long> bounds = new ArrayList<>();
        for (int actor = 1; actor < ACTORS; actor++) {
            bounds.add(keys * actor / ACTORS);
        }
        TableSpec spec = TableSpec.named(table)
                .port(port.port())
                .keyField(port.keyField())
                .range(bounds)
                .replicas(settings.replicas())
                .level(ConsistencyLevel.SERIALIZABLE);
        for (var option : port.tableOptions().entrySet()) {
            spec = spec.option(option.getKey(), option.getValue());
        }
        cluster.client().admin().createTable(spec);
    }

    private static List<Document> rows(YcsbPort port, int rows, int round, int rounds) {
        List<Document> documents = new ArrayList<>(rows);
        for (long i = 0; i < rows; i++) {
            documents.add(port.bulkRow(i * rounds + round));
        }
        return documents;
    }

    private static void insert(YcsbPort port, String table, List<Document> rows, UniserveYcsbCluster cluster) {
        int actors = cluster.client()
                .table(table)
                .update(port.putFunction(), Document.CODEC, rows)
                .deadline(Duration.ofMinutes(5))
                .run()
                .orThrow()
                .acked()
                .size();
        if (actors != ACTORS) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, actors + " actors acknowledged a bulk insert, should be " + ACTORS);
        }
    }

    private static void insert(List<Document> rows, BareChannels engine) {
        byte[] unused =
                engine.call(0, BareRequest.update(BareRequest.Kind.PUT, rows).encode());
    }
}
