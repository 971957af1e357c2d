package io.uniserve.benchmark.fairness;

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

/** {@code uniserve bench fairness}. */
@Command(
        name = "fairness",
        description = {
            "Cost of one client's slow queries for others: two server processes, a Solr table whose client sends"
                    + " endless nested facets, and another whose client counts. Latency of the counts beside"
                    + " 0, 1, 4 and 16 slow queries, with fair reads and with one queue for all (server.fair-reads=false),"
                    + " and the time until all work of the slow client has ended after it closed."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  uniserve bench fairness", "  uniserve bench fairness --counts 2000 --raw fairness.tsv"})
public final class FairnessCommand extends CliCommand {
    @Option(
            names = "--counts",
            paramLabel = "N",
            description = "Counts beside each number of slow queries (default: 500).")
    private int counts = 500;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Time limit for starting counts per number of slow queries (default: 60).")
    private int seconds = 60;

    @Option(
            names = "--slow",
            split = ",",
            paramLabel = "N",
            description = "Slow queries at once, one or several numbers (default: 1,4,16).")
    private List<Integer> slow = List.of(1, 4, 16);

    @Option(names = "--documents", paramLabel = "N", description = "Documents of each table (default: 20000).")
    private int documents = 20_000;

    @Option(
            names = "--unfair",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Also measure one queue for all, without fair reads (default: yes).")
    private boolean unfair = true;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every count's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        checkRange("--counts", counts, 10, 1_000_000);
        checkRange("--seconds", seconds, 1, 3_600);
        checkRange("--documents", documents, 100, 1_000_000);
        slow.forEach(n -> checkRange("--slow", n, 1, 64));
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            FairnessBench bench = new FairnessBench(
                    SystemClock.INSTANCE::nanos,
                    log,
                    new FairnessBench.Scale(counts, seconds, slow, documents, unfair),
                    workspace.directory(),
                    console());
            List<BenchmarkMetric> figures = bench.run();
            ResultLine line = ResultLine.of("bench fairness", arguments());
            figures.forEach(line::figure);
            bench.rows().forEach(row -> console().println(row));
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }
}
