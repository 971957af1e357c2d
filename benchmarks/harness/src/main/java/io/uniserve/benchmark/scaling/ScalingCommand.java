package io.uniserve.benchmark.scaling;

import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench scaling}. */
@Command(
        name = "scaling",
        description = {
            "A cluster that sizes itself (paper, figure 10): the load rises from --low to --high operations per second and"
                    + " falls again; the auto-scaler launches real server processes, and drains and terminates them.",
            "Clients read single rows of port kv at the target rate, and check them. Latencies count from the intended start."
                    + " Each server has a CPU quota from the moment at which it has joined; quotas need root."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench scaling",
            "  uniserve bench scaling --full --plot scaling.svg",
            "  uniserve bench scaling --quota 0 --high 4000"
        })
public final class ScalingCommand extends CliCommand {
    private static final int FULL_SECONDS = 1_800;

    @Option(names = "--seconds", paramLabel = "N", description = "Duration of the load (default: 480).")
    private int seconds = 480;

    @Option(names = "--full", description = "30 minutes, as in the paper; --seconds is ignored.")
    private boolean full;

    @Option(names = "--low", paramLabel = "N", description = "Smallest rate, operations per second (default: 240).")
    private int low = 240;

    @Option(names = "--high", paramLabel = "N", description = "Largest rate (default: 1300).")
    private int high = 1_300;

    @Option(names = "--servers", paramLabel = "N", description = "Maximum number of servers (default: 6).")
    private int servers = 6;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of the table, rf 1 (default: 24).")
    private int actors = 24;

    @Option(names = "--rows", paramLabel = "N", description = "Rows of the table (default: 5000).")
    private int rows = 5_000;

    @Option(names = "--threads", paramLabel = "N", description = "Threads of the client (default: 48).")
    private int threads = 48;

    @Option(
            names = "--quota",
            paramLabel = "CORES",
            description = "CPU limit of each server; 0 for none, each then counts as one core (default: 0.2).")
    private double quota = 0.2;

    @Option(names = "--period", paramLabel = "SECONDS", description = "Period of the auto-scaler (default: 10).")
    private int period = 10;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Time at the smallest rate before the measurement (default: 60).")
    private int warmUp = 60;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each server (default: 256m).")
    private String heap = "256m";

    @Option(names = "--plot", paramLabel = "FILE", description = "Write load, servers, CPU and latency here, as SVG.")
    private @Nullable Path plot;

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkRange("--seconds", seconds, 30, 100_000);
        checkRange("--low", low, 1, 1_000_000);
        checkRange("--high", high, low, 1_000_000);
        checkRange("--servers", servers, 1, 64);
        checkRange("--actors", actors, 1, 4_096);
        checkRange("--rows", rows, 1, 10_000_000);
        checkRange("--threads", threads, 1, 1_024);
        checkRange("--period", period, 6, 3_600);
        checkRange("--warm-up", warmUp, 1, 3_600);
        if (quota > 0 && !CpuQuota.isPossible()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "--quota " + quota + " needs root and writable control groups: run as root, or use --quota 0");
        }
        LoadProfile profile = new LoadProfile(full ? FULL_SECONDS : seconds, low, high);
        ScalingBench.Settings settings =
                new ScalingBench.Settings(profile, servers, actors, rows, threads, quota, period, warmUp, heap);
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                ScalingBench bench =
                        new ScalingBench(SystemClock.INSTANCE::nanos, settings, workspace.directory(), console())) {
            TargetRateReader reader = bench.run();
            List<BenchmarkMetric> figures = bench.figures(reader);
            bench.decisions().forEach(console()::println);
            figures.forEach(figure -> console()
                    .println(String.format(
                            Locale.ROOT,
                            "%s: %.2f (goal %.2f)%s",
                            figure.name(),
                            figure.measured(),
                            figure.goal(),
                            figure.met() ? "" : ", not met")));
            if (!reader.lastProblem().isEmpty()) {
                console().println("last problem: " + reader.lastProblem());
            }
            if (plot != null) {
                Files.writeString(plot, ScalingPlot.svg(profile, reader.slices(), bench.samples()));
            }
            ResultLine line = ResultLine.of("bench scaling", arguments());
            figures.forEach(line::figure);
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }
}
