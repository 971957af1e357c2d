package io.uniserve.benchmark.tpch;

import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench tpch}. */
@Command(
        name = "tpch",
        description = {
            "TPC-H on servers with a SQL port, each in a process of its own; on one DuckDB with all rows and one thread"
                    + " per core; and on Spark SQL on as many cores, once with cached tables and once with Parquet. Answers"
                    + " are compared first. Then every query by one client; the sides alternate block by block."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench tpch --sf 1 --peer spark --raw tpch.tsv",
            "  uniserve bench tpch --sf 0.1 --queries 1,3,10",
            "  uniserve bench tpch --sf 0.1 --queries all --rounds 1",
            "  uniserve bench tpch --sf 0.1 --check",
            "  uniserve bench tpch --sf 0.1 --check --engine monetdb"
        })
public final class TpchCommand extends CliCommand {
    private static final List<Integer> WITH_GOALS = List.of(1, 3, 10);
    /** With fewer suppliers the generator assigns a supplier to a part twice. */
    private static final double CHECK_SCALE_MIN = 0.01;

    private static final List<String> ENGINES = List.of("duckdb", "monetdb");
    private static final String QUERIES_DEFAULT = "1,3,5,6,10,12,14,19";

    /** Systems to compare with, in addition to the bare engine. */
    enum Peer {
        SPARK,
        NONE
    }

    @Option(names = "--sf", paramLabel = "N", description = "Scale factor, such as 0.1; 1 is 1 GB (default).")
    private double scale = 1;

    @Option(
            names = "--peer",
            paramLabel = "NAME",
            description =
                    "System to compare with in addition to the bare engine: ${COMPLETION-CANDIDATES} (default: none).")
    private Peer peer = Peer.NONE;

    @Option(
            names = "--check",
            description = "Only compare answers, without measurements; of all 22 queries unless --queries is given.")
    private boolean check;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "The servers' engine: duckdb (default) or monetdb.")
    private String engine = "duckdb";

    @Option(names = "--port", paramLabel = "ENGINE", hidden = true, description = "Deprecated name of --engine.")
    private @Nullable String port;

    @Option(names = "--servers", paramLabel = "N", description = "Servers (default: 4).")
    private int servers = 4;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of each table (default: one per server).")
    private int actors;

    @Option(
            names = "--queries",
            paramLabel = "N,...",
            description = "Queries by their numbers, or all (default: " + QUERIES_DEFAULT + ").")
    private String queries = QUERIES_DEFAULT;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Java heap of a server, e.g. 512m (default: 1g).")
    private String heap = "1g";

    @Option(names = "--peer-heap", paramLabel = "SIZE", description = "Java heap of Spark, e.g. 4g (default).")
    private String peerHeap = "4g";

    @Option(names = "--warmup", paramLabel = "N", description = "Warm-up runs of a query per side (default: 5).")
    private int warmup = 5;

    @Option(
            names = "--settle",
            paramLabel = "N",
            description = "Maximum warm-up blocks per side and query, of 4 s each; they end when its CPU"
                    + " no longer falls on any side (default: 10).")
    private int settle = 10;

    @Option(names = "--operations", paramLabel = "N", description = "Runs of a query per block (default: 5).")
    private int operations = 5;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side, alternating (default: 5).")
    private int rounds = 5;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        List<TpchQuery> asked = checked();
        if (peer == Peer.SPARK) {
            BaselineSqlProcess.sparkFolder();
        }
        List<TpchDataGenerator.Table> tables = TpchDataGenerator.TABLES.stream()
                .filter(table -> asked.stream().anyMatch(query -> query.uses(table)))
                .toList();
        int cores = Runtime.getRuntime().availableProcessors();
        ResultLine line = ResultLine.of("bench tpch", arguments());
        List<BaselineSqlProcess> peers = new ArrayList<>();
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw);
                UniserveTpchCluster uniserve = new UniserveTpchCluster(
                        ProcessClusterOptions.of(workspace.directory().resolve("uniserve"), servers, engine)
                                .withHeap("-Xmx" + heap))) {
            Path directory = workspace.directory();
            TpchDataGenerator data = new TpchDataGenerator(directory, tables, scale, console(), clock()::nanos);
            long start = clock().nanos();
            uniserve.load(data, tables, actors, 1, console(), clock()::nanos);
            line.with("loadSeconds", (clock().nanos() - start) / 1_000_000_000);
            peers.add(BaselineSqlProcess.bare(directory, "-Xmx512m", cores));
            if (peer == Peer.SPARK) {
                peers.add(BaselineSqlProcess.spark(directory, "-Xmx" + peerHeap, cores, "cached"));
                peers.add(BaselineSqlProcess.spark(directory, "-Xmx" + peerHeap, cores, "parquet"));
            }
            for (BaselineSqlProcess one : peers) {
                console().note("loading " + one.name());
                one.load(data, tables);
            }
            TpchBench bench = new TpchBench(new PairedBenchmark(clock()::nanos, log), console(), uniserve, peers);
            List<TpchQuery> answered = bench.compareAnswers(asked);
            if (!check) {
                bench.measure(answered, new TpchBench.Scale(warmup, settle, operations, rounds));
            }
            line.with("rows", data.rows())
                    .with("peers", peers.stream().map(BaselineSqlProcess::name).toList())
                    .with("serverPeakMb", uniserve.peakMb())
                    .with("cores", cores);
            return report(bench, line);
        } finally {
            for (BaselineSqlProcess one : peers) {
                one.close();
            }
        }
    }

    private int report(TpchBench bench, ResultLine line) {
        if (check) {
            console().println("         rows  values  compared with one engine with all rows");
            bench.checkedLines().forEach(console()::println);
        } else {
            bench.rows().forEach(console()::println);
            bench.figures().forEach(line::figure);
            bench.rejectedQueries().forEach((query, reason) -> console().println("REFUSED " + query + ": " + reason));
            bench.differences().forEach(difference -> console().println("DIFFERENT " + difference));
        }
        Set<String> wanted = WITH_GOALS.stream().map(number -> "Q" + number).collect(Collectors.toSet());
        line.with("scale", scale)
                .with("engine", engine)
                .with("servers", servers)
                .with("actors", actors)
                .with("heap", heap)
                .with("refused", bench.rejectedQueries())
                .with("compared", bench.compared())
                .with("different", bench.differences().size())
                .with("java", System.getProperty("java.version"));
        line.require(bench.differences().isEmpty())
                .require(!check
                        || !engine.equals(ENGINES.get(0))
                        || bench.rejectedQueries().isEmpty())
                .require(bench.rejectedQueries().keySet().stream().noneMatch(wanted::contains));
        return line.print(console());
    }

    private List<TpchQuery> checked() {
        if (!(scale >= 0.001 && scale <= 100)) {
            throw usageError("--sf is " + scale + ": use 0.001 to 100");
        }
        checkRange("--servers", servers, 1, 32);
        if (check && scale < CHECK_SCALE_MIN) {
            throw usageError("--sf is " + scale + ": --check needs at least " + CHECK_SCALE_MIN
                    + ", because smaller tables have rows with the same primary key, of which Uniserve keeps one");
        }
        actors = isGiven("--actors") ? actors : servers;
        checkRange("--actors", actors, 1, 256);
        checkRange("--warmup", warmup, 0, 100_000);
        checkRange("--settle", settle, 0, 1_000);
        checkRange("--operations", operations, 1, 100_000);
        checkRange("--rounds", rounds, 1, 1_000);
        for (String size : List.of(heap, peerHeap)) {
            if (!size.matches("\\d{1,6}[mg]")) {
                throw usageError("a heap is \"" + size + "\": use a number and m or g, e.g. 512m");
            }
        }
        engine = renamed("--engine", engine, "--port", port);
        if (!ENGINES.contains(engine)) {
            throw usageError("--engine is \"" + engine + "\": use one of " + String.join(", ", ENGINES));
        }
        if (queries.equals("all") || check && !isGiven("--queries")) {
            return TpchQuery.of(TpchQuery.numbers());
        }
        if (!queries.matches("\\d{1,2}(,\\d{1,2})*")) {
            throw usageError("--queries is \"" + queries + "\": use numbers with commas between, or all");
        }
        return TpchQuery.of(
                List.of(queries.split(",")).stream().map(Integer::valueOf).toList());
    }
}
