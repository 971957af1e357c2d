package io.uniserve.benchmark.overhead;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.TextTable;
import io.uniserve.client.ClientTable;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.runtime.time.CpuClock;
import io.uniserve.server.read.ReadCostCounter;
import io.uniserve.server.read.ShardSetTracker;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench statistics}. */
@Command(
        name = "statistics",
        description = {
            "Cost of the statistics that placement needs, relative to the queries. CPU time of the counting,"
                    + " alone, compared with the CPU time of queries through client and servers in one process.",
            "Queries count the rows of ranges of eight actors of the key-value port, so they are small."
        },
        footer = "  uniserve bench statistics")
public final class StatisticsCommand extends CliCommand {
    private static final int RANGE = 8;

    @Option(names = "--queries", paramLabel = "N", description = "Queries (default: 20000).")
    private int queries = 20_000;

    @Option(names = "--servers", paramLabel = "N", description = "Servers (default: 2).")
    private int servers = 2;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of the table (default: 64).")
    private int actors = 64;

    @Override
    public Integer call() {
        checkRange("--queries", queries, 1_000, 100_000_000);
        checkRange("--servers", servers, 1, LocalCluster.SERVERS_MAX);
        checkRange("--actors", actors, RANGE, Limits.ACTORS_PER_TABLE_MAX);
        measureCounting();
        double counting = measureCounting();
        double query = measureQuery();
        double part = counting / query;
        TextTable table = new TextTable("what", "CPU us per query");
        table.row("the query", text(query / 1e3));
        table.row("its statistics", text(counting / 1e3));
        table.print(console());
        return ResultLine.of("bench statistics", arguments())
                .figure(BenchmarkMetric.atMost("statistics, part of a query's CPU time", part, 0.01))
                .print(console());
    }

    private int firstActor(int n) {
        return (int) (n * 7_919L % (actors - RANGE + 1));
    }

    /** Returns the CPU time in nanoseconds of the statistics per query: each actor's cost, and one set of eight actors. */
    private double measureCounting() {
        ReadCostCounter costs = new ReadCostCounter();
        ShardSetTracker sets = new ShardSetTracker(clock());
        List<List<Integer>> ranges = new ArrayList<>();
        for (int from = 0; from <= actors - RANGE; from++) {
            ranges.add(IntStream.range(from, from + RANGE).boxed().toList());
        }
        int rounds = 20 * queries;
        long start = CpuClock.nanos();
        for (int n = 0; n < rounds; n++) {
            int from = firstActor(n);
            for (int i = from; i < from + RANGE; i++) {
                costs.add(new ReplicaKey(1, i), 1_000);
            }
            if (n % Limits.SHARD_SET_SAMPLE == 0) {
                sets.record(1, List.copyOf(ranges.get(from)));
            }
        }
        double nanos = CpuClock.nanos() - start;
        console().note("bench statistics: " + sets.top().size() + " sets counted");
        return nanos / rounds;
    }

    private double measureQuery() {
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(servers)
                .setting("server.engines", "kv")
                .setting("server.ports-dir", ports())
                .start()) {
            ClientTable table = OverheadBench.table(cluster.client(), "t", actors);
            runQueries(table, queries / 2);
            long start = CpuClock.processNanos();
            runQueries(table, queries);
            return (double) (CpuClock.processNanos() - start) / queries;
        }
    }

    private void runQueries(ClientTable table, int times) {
        for (int n = 0; n < times; n++) {
            int from = firstActor(n);
            List<Integer> range = IntStream.range(from, from + RANGE).boxed().toList();
            table.actors(range)
                    .retrieve(
                            OverheadBench.COUNT,
                            "",
                            parts -> parts.stream().mapToLong(Long::longValue).sum());
        }
    }

    private static String ports() {
        return Path.of(System.getProperty("uniserve.home", "."), "ports").toString();
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
