package io.uniserve.benchmark.demo;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve demo}. */
@Command(
        name = "demo",
        description = {
            "Starts ZooKeeper, a coordinator and servers as real processes, distributes Solr over them, loads 17,597 speeches"
                    + " of the European Parliament, sends queries under load, kills a server in the middle, compares every answer with"
                    + " one computed beforehand, and writes a report.",
            "The last line is one JSON object; exit code 0 if no query failed and no answer was wrong."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve demo                            the demonstration, report in uniserve-demo.html",
            "  uniserve demo --verify                   the same; says only whether it passed",
            "  uniserve demo --servers 6 --rf 3 --kill 2"
        })
public final class DemoCommand extends CliCommand {
    private static final int QUERIES_MIN = 1_000;

    @Option(names = "--verify", description = "Print the result line only; progress goes to the error stream.")
    private boolean verify;

    @Option(names = "--servers", paramLabel = "N", description = "Servers, 2 to 16 (default: 4).")
    private int servers = 4;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of the table (default: 8).")
    private int actors = 8;

    @Option(names = "--rf", paramLabel = "N", description = "Copies of each actor, at least 2 (default: 2).")
    private int rf = 2;

    @Option(names = "--documents", paramLabel = "N", description = "Speeches to load, 100 to 17597 (default: all).")
    private int documents = EuroparlCorpus.LINES;

    @Option(names = "--threads", paramLabel = "N", description = "Client threads, 1 to 64 (default: 4).")
    private int threads = 4;

    @Option(
            names = "--queries",
            paramLabel = "N",
            description = "Minimum number of queries (default: 2000; a pass needs 1000).")
    private int queries = 2_000;

    @Option(names = "--kill", paramLabel = "I", description = "Number of the server to kill, from 1 (default: 1).")
    private int victim = 1;

    @Option(
            names = "--deadline",
            paramLabel = "MS",
            description = "Deadline of each query, milliseconds (default: 5000).")
    private long deadlineMs = 5_000;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the queries (default: 1).")
    private long seed = 1;

    @Option(names = "--report", paramLabel = "FILE", description = "File of the report (default: uniserve-demo.html).")
    private Path report = Path.of("uniserve-demo.html");

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Keep data and logs here (default: a temporary directory).")
    private @Nullable Path directory;

    @Override
    public Integer call() throws IOException {
        check();
        try (Workspace workspace = Workspace.of(directory, "uniserve-demo")) {
            DemoOptions options = new DemoOptions(
                    servers, actors, rf, documents, threads, queries, victim, deadlineMs, seed, workspace.directory());
            DemoReport result =
                    new DemoRunner(options, JavaLauncher.ofThisProcess().home(), console()).run();
            Files.writeString(report, new HtmlReport(result).render());
            return print(result);
        }
    }

    private void check() {
        checkRange("--servers", servers, 2, 16);
        checkRange("--rf", rf, 2, servers);
        checkRange("--actors", actors, 1, 256);
        checkRange("--documents", documents, 100, EuroparlCorpus.LINES);
        checkRange("--threads", threads, 1, 64);
        checkRange("--queries", queries, 1, 10_000_000);
        checkRange("--kill", victim, 1, servers);
        checkRange("--deadline", deadlineMs, 1, 3_600_000);
    }

    private int print(DemoReport result) {
        double before = QueryTimeline.percentileMs(result.before(), 0.99);
        double after = QueryTimeline.percentileMs(result.after(), 0.99);
        if (!verify) {
            line(
                    "queries            %,d (%,d before the kill, %,d after)",
                    result.samples().size(),
                    result.before().size(),
                    result.after().size());
            line("failed             %d", result.failed());
            line("wrong              %d", result.wrong());
            line("retries, hedges    %d, %d", result.retries(), result.hedges());
            line(
                    "p50 before, after  %.1f ms, %.1f ms",
                    QueryTimeline.percentileMs(result.before(), 0.5), QueryTimeline.percentileMs(result.after(), 0.5));
            line("p99 before, after  %.1f ms, %.1f ms", before, after);
            line(
                    "copies restored    %s",
                    result.restoredMs() < 0 ? "no" : "after %.1f s".formatted(result.restoredMs() / 1e3));
            line("report             %s", report.toAbsolutePath());
            result.problems().entrySet().stream().limit(10).forEach(e -> line("%d x %s", e.getValue(), e.getKey()));
        }
        ResultLine line = ResultLine.of("demo", arguments())
                .figure(BenchmarkMetric.atLeast("queries", result.samples().size(), QUERIES_MIN))
                .figure(BenchmarkMetric.atMost("failed", result.failed(), 0))
                .figure(BenchmarkMetric.atMost("wrong", result.wrong(), 0))
                .with("queries", result.samples().size())
                .with("failed", result.failed())
                .with("wrong", result.wrong())
                .with("retries", result.retries())
                .with("hedges", result.hedges())
                .with("p99_ms_before", round(before))
                .with("p99_ms_after", round(after))
                .with("restored_ms", round(result.restoredMs()))
                .require(result.pass(QUERIES_MIN));
        int exit = line.print(console());
        return exit == ExitCode.OK ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private static double round(double value) {
        return Math.rint(value * 10) / 10;
    }

    private void line(String format, Object... arguments) {
        console().println(String.format(Locale.ROOT, format, arguments));
    }
}
