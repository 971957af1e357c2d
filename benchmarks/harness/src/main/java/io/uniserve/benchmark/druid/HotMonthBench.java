package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.balance.HotPartChooser;
import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Queries of single months; a share of them asks one hot month. Uniserve makes a replica of it on every server by itself; native Druid has
 * the one replica of every segment. Not thread-safe.
 */
final class HotMonthBench {
    private static final double PERCENT = 100;

    private final PairedBenchmark bench;
    private final DruidQueryBench.Scale scale;
    private final Console console;
    private final List<LineitemChunks.Chunk> chunks;
    private final int hot;
    private final Map<LineitemChunks.Chunk, String> queries = new ConcurrentHashMap<>();
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private final List<double[]> ours = new ArrayList<>();
    private final List<double[]> peers = new ArrayList<>();

    /** @param chunks all months of the data source; the largest is the hot one */
    HotMonthBench(
            PairedBenchmark bench,
            DruidQueryBench.Scale scale,
            Console console,
            String dataSource,
            List<LineitemChunks.Chunk> chunks,
            LineitemChunks.Chunk hot) {
        this.bench = bench;
        this.scale = scale;
        this.console = console;
        this.chunks = List.copyOf(chunks);
        this.hot = chunks.indexOf(hot);
        chunks.forEach(chunk ->
                queries.put(chunk, DruidQueries.partsOfChunk(dataSource, chunk).json()));
    }

    List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    List<String> rows() {
        return List.copyOf(rows);
    }

    /** Returns points of share in percent and queries per second. */
    List<double[]> ours() {
        return List.copyOf(ours);
    }

    List<double[]> peers() {
        return List.copyOf(peers);
    }

    /** Compares the answers of every month. Returns the differences. */
    List<String> compareAnswers(DruidSide mine, DruidSide theirs) {
        List<String> differences = new ArrayList<>();
        queries.forEach((chunk, query) -> DruidAnswerComparator.difference(
                        mine.answer(chunk, query), theirs.answer(chunk, query))
                .ifPresent(difference -> differences.add("month " + chunk.month() + ": " + difference)));
        return differences;
    }

    /** Sends this many queries to one side without measuring them. */
    void warmUp(DruidSide side, double share, int clients, int queries) {
        bench.warmUp(side(side, share), clients, (queries + clients - 1) / clients);
    }

    /**
     * Measures the throughput of both sides with this share of queries of the hot month, by as many clients as given.
     *
     * @param goal ratio of queries per second to reach
     */
    void measure(DruidSide mine, DruidSide theirs, double share, int clients, double goal) {
        String scenario = String.format(Locale.ROOT, "hot month, %.1f %% of queries", share * PERCENT);
        console.note(scenario + ", " + clients + " clients");
        List<PairedBenchmark.Side> sides = List.of(side(mine, share), side(theirs, share));
        int each = Math.max(1, scale.operations() / clients);
        bench.settle(new PairedBenchmark.Load(scenario, clients, each, 1), scale.seconds(), scale.settle(), sides);
        List<BenchmarkIteration> blocks = bench.compare(
                new PairedBenchmark.Load(scenario, clients, each, scale.rounds()), scale.seconds(), sides);
        BenchmarkIteration a = blocks.get(0);
        BenchmarkIteration b = blocks.get(1);
        figures.add(BenchmarkMetric.moreIsBetter(
                scenario + ", " + clients + " clients: queries/s", a.perSecond(), b.perSecond(), goal));
        rows.add(DruidQueryBench.row(scenario + ", " + clients, a, b));
        console.note(rows.get(rows.size() - 1));
        ours.add(new double[] {share * PERCENT, a.perSecond()});
        peers.add(new double[] {share * PERCENT, b.perSecond()});
    }

    private PairedBenchmark.Side side(DruidSide side, double share) {
        HotPartChooser chooser = new HotPartChooser(chunks.size(), hot, share);
        return new PairedBenchmark.Side(
                side.name(),
                n -> {
                    LineitemChunks.Chunk chunk = chunks.get(chooser.choose(n));
                    String answer = side.answer(chunk, queries.getOrDefault(chunk, ""));
                    if (!answer.startsWith("[{")) {
                        throw new UniserveException(
                                ErrorCode.INTERNAL,
                                side.name() + " has no rows of " + chunk.month() + ": "
                                        + answer.substring(0, Math.min(200, answer.length())));
                    }
                },
                side.cpu());
    }
}
