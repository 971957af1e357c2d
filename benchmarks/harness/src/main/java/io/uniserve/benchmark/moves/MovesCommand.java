package io.uniserve.benchmark.moves;

import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench moves}. */
@Command(
        name = "moves",
        description = {
            "Cost of moving primaries for clients: key-value tables of rf 1 and 2 on 3 server processes, a client"
                    + " that updates the actor that moves and one that queries all actors. The pause of updates is compared"
                    + " with a write to ZooKeeper, p99 of queries with that before the moves, in the same run."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  uniserve bench moves", "  uniserve bench moves --moves 100 --rows 20000 --raw moves.tsv"})
public final class MovesCommand extends CliCommand {
    @Option(names = "--moves", paramLabel = "N", description = "Moves per table (default: 40).")
    private int moves = 40;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description = "Warm-up moves before them, which are not measured (default: 4).")
    private int warmUp = 4;

    @Option(names = "--rows", paramLabel = "N", description = "Rows of each table, of 1 KB (default: 4000).")
    private int rows = 4_000;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of each table (default: 4).")
    private int actors = 4;

    @Option(names = "--queries", paramLabel = "N", description = "Queries before the moves (default: 5000).")
    private int queries = 5_000;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        checkRange("--moves", moves, 1, 100_000);
        checkRange("--warm-up", warmUp, 0, 1_000);
        checkRange("--rows", rows, 1, 1_000_000);
        checkRange("--actors", actors, 1, 256);
        checkRange("--queries", queries, 1, 1_000_000);
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            MovesBench bench = new MovesBench(
                    SystemClock.INSTANCE::nanos,
                    log,
                    new MovesBench.Scale(moves, warmUp, rows, actors, queries),
                    workspace.directory(),
                    console());
            List<BenchmarkMetric> figures = bench.run();
            ResultLine line = ResultLine.of("bench moves", arguments());
            figures.forEach(line::figure);
            bench.rows().forEach(row -> console().println(row));
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }
}
