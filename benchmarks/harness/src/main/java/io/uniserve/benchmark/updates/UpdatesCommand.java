package io.uniserve.benchmark.updates;

import io.uniserve.benchmark.measure.LaunchAggregator;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench updates}. */
@Command(
        name = "updates",
        description = {
            "Cost of atomic updates: a port, key-value or Solr, on 2 server processes, rf 1 and 2, eventual and"
                    + " fully serializable tables, from one row to bulk; queries of all actors, quiet and under a stream"
                    + " of updates. The floor of bulk is the bare engine behind a bare log with one fsync, that of a single row"
                    + " the ZooKeeper writes, fsyncs and RPC rounds that the protocol needs, all measured in the same run."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench updates",
            "  uniserve bench updates --engine solr --bulk 10",
            "  uniserve bench updates --rounds 2 --updates 50 --raw updates.tsv",
            "  uniserve bench updates --launches 3"
        })
public final class UpdatesCommand extends CliCommand {
    private static final long LARGE_HEAP = 1_900L << 20;

    @Option(
            names = "--updates",
            paramLabel = "N",
            description =
                    "Updates of one row, of 1,000 rows and of 1 MB per block; an eighth of larger ones (default: 100).")
    private int updates = 100;

    @Option(names = "--queries", paramLabel = "N", description = "Queries of all actors per block (default: 1000).")
    private int queries = 1_000;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side, alternating (default: 3).")
    private int rounds = 3;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "Warm-up operations of one-row updates, pieces of their fixed cost, and queries; for larger updates"
                            + " a tenth or less (default: 1000).")
    private int warmUp = 1_000;

    @Option(
            names = "--stream",
            paramLabel = "N",
            description =
                    "Updates per second, of one row and then of 100 rows per actor, during which queries are measured before they"
                            + " run among updates as fast as possible; 0 for only these (default: 50).")
    private int stream = 50;

    @Option(
            names = "--launches",
            paramLabel = "N",
            description =
                    "Repetitions with new processes, which differ in the places of primaries and the work of compilers;"
                            + " a figure is the geometric mean of all (default: 1).")
    private int launches = 1;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of the tables (default: 8).")
    private int actors = 8;

    @Option(names = "--engine", paramLabel = "ENGINE", description = "kv or solr (default: kv).")
    private String engine = "kv";

    @Option(names = "--port", paramLabel = "ENGINE", hidden = true, description = "Deprecated name of --engine.")
    private @Nullable String port;

    @Option(
            names = "--bulk",
            paramLabel = "MB",
            description = "Bulk updates of 1, 10 and 100 MB up to this size, 0 for none (default: 100 if the bench has"
                    + " 2 GiB of heap, by UNISERVE_JAVA_OPTS=-Xmx3g, else 10).")
    private @Nullable Integer bulk;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        checkRange("--updates", updates, 1, 1_000_000);
        checkRange("--queries", queries, 1, 1_000_000);
        checkRange("--rounds", rounds, 1, 1_000);
        checkRange("--warm-up", warmUp, 0, 1_000_000);
        checkRange("--stream", stream, 0, 1_000_000);
        checkRange("--launches", launches, 1, 100);
        checkRange("--actors", actors, 1, 256);
        boolean roomy = Runtime.getRuntime().maxMemory() >= LARGE_HEAP;
        int largest = bulk != null ? bulk : roomy ? 100 : 10;
        checkRange("--bulk", largest, 0, 100);
        if (largest == 100 && !roomy) {
            throw usageError(
                    "--bulk is 100: it needs UNISERVE_JAVA_OPTS=-Xmx3g, as the bare engine is in this process");
        }
        String chosen = renamed("--engine", engine, "--port", port);
        UpdatesPort measured = Arrays.stream(UpdatesPort.values())
                .filter(each -> each.port().equals(chosen))
                .findFirst()
                .orElseThrow(() -> usageError("--engine is " + chosen + ": use kv or solr"));
        UpdatesBench.Scale scale = new UpdatesBench.Scale(actors, updates, queries, rounds, largest, warmUp, stream);
        List<List<BenchmarkMetric>> figures;
        try (RawResultWriter log = new RawResultWriter(raw)) {
            figures = LaunchAggregator.run(launches, log, console(), () -> launch(measured, scale, log));
        }
        if (launches > 1) {
            LaunchAggregator.costs(figures).forEach(row -> console().println(row));
        }
        ResultLine line = ResultLine.of("bench updates", arguments());
        LaunchAggregator.pool(figures).forEach(line::figure);
        line.with("launches", launches);
        line.with("cores", Runtime.getRuntime().availableProcessors());
        line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
        return line.print(console());
    }

    private List<BenchmarkMetric> launch(UpdatesPort measured, UpdatesBench.Scale scale, RawResultWriter log)
            throws IOException {
        try (Workspace workspace = Workspace.temporary("uniserve-bench")) {
            UpdatesBench bench = new UpdatesBench(
                    new PairedBenchmark(SystemClock.INSTANCE::nanos, log),
                    SystemClock.INSTANCE::nanos,
                    measured,
                    scale,
                    workspace.directory(),
                    console());
            List<BenchmarkMetric> figures = bench.run();
            bench.rows().forEach(row -> console().println(row));
            return figures;
        }
    }
}
