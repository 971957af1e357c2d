package io.uniserve.benchmark.chaos;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.disk.DurableFileOperations;
import io.uniserve.testkit.process.ParentProcessWatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve chaos}. */
@Command(
        name = "chaos",
        description = {
            "Starts 3 ZooKeeper servers, 2 coordinators and servers as real processes, runs clients that append to and read"
                    + " lists of an eventual and of a fully serializable table with 3 replicas, and injects faults"
                    + " meanwhile: processes are killed and stopped, links fail, fail one-way and slow down, a disk gets"
                    + " full, replicas move and servers drain. At the end all faults are removed, and the recorded history is"
                    + " judged.",
            "The last line is one JSON object; exit code 0 if no acknowledged update was lost and no answer was wrong."
                    + " Needs Linux. Ctrl-C ends all processes."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve chaos --minutes 10 --history chaos.jsonl",
            "  uniserve chaos --minutes 1 --seed 7 --full-disk none"
        })
public final class ChaosCommand extends CliCommand {
    private static final Logger LOG = LoggerFactory.getLogger(ChaosCommand.class);
    private static final int TOLD_MAX = 20;
    private static final double SECONDS = 60;

    @Option(names = "--minutes", paramLabel = "M", description = "Duration of faults, 0.1 to 1440 (default: 2).")
    private double minutes = 2;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description = "Write the history of requests and replies here, as JSON lines (default: no history).")
    private @Nullable Path history;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of faults and clients (default: 1).")
    private long seed = 1;

    @Option(names = "--servers", paramLabel = "N", description = "Servers, 4 to 16 (default: 5).")
    private int servers = 5;

    @Option(names = "--clients", paramLabel = "N", description = "Clients per table, 1 to 16 (default: 3).")
    private int clients = 3;

    @Option(
            names = "--full-disk",
            paramLabel = "MEANS",
            description =
                    "Means to fill the last server's disk: tmpfs (needs root), prlimit or none (default: tmpfs for"
                            + " root, else prlimit).")
    private DiskFiller.@Nullable Means fullDisk;

    @Override
    public Integer call() throws Exception {
        if (!(minutes >= 0.1 && minutes <= 1440)) {
            throw usageError("--minutes is " + minutes + ": use 0.1 to 1440");
        }
        checkRange("--servers", servers, 4, 16);
        checkRange("--clients", clients, 1, 16);
        Path directory = Files.createTempDirectory("uniserve-chaos");
        DiskFiller disk = new DiskFiller(fullDisk == null ? DiskFiller.available() : fullDisk);
        Thread interrupted = new Thread(() -> killAndCleanUp(directory, disk), "chaos-abandoned");
        Runtime.getRuntime().addShutdownHook(interrupted);
        Path file = history == null ? directory.resolve("history.jsonl") : history;
        ChaosOptions options = new ChaosOptions(
                directory,
                Duration.ofMillis((long) (minutes * SECONDS * 1_000)),
                file,
                seed,
                servers,
                clients,
                disk.means());
        ChaosRun.Result result;
        boolean ended = false;
        try {
            result = new ChaosRun(options, disk, console(), clock()).run();
            ended = true;
        } finally {
            if (interrupted.getState() == Thread.State.NEW) {
                Runtime.getRuntime().removeShutdownHook(interrupted);
            }
            if (!ended) {
                console().println("data and logs are in " + directory);
            }
        }
        if (result.pass()) {
            DurableFileOperations.deleteTree(directory);
        } else {
            console().println("data and logs are in " + directory);
        }
        return report(result);
    }

    private static void killAndCleanUp(Path directory, DiskFiller disk) {
        ParentProcessWatcher.endAll();
        disk.close();
        try {
            DurableFileOperations.deleteTree(directory);
        } catch (IOException e) {
            LOG.warn("{}: could not be deleted", directory, e);
        }
    }

    private int report(ChaosRun.Result result) {
        long operations =
                result.operations().values().stream().mapToLong(Long::longValue).sum();
        int faults =
                result.faults().values().stream().mapToInt(Integer::intValue).sum();
        table("faults", result.faults());
        table("operations", result.operations());
        table("errors", result.errors());
        line("settled            %.1f s after the last fault", result.settledSeconds());
        result.violations().forEach(violation -> line("violation %s: %s", violation.invariant(), violation.message()));
        result.unsettled().stream().limit(TOLD_MAX).forEach(what -> line("not settled: %s", what));
        int exit = ResultLine.of("chaos", arguments())
                .figure(BenchmarkMetric.atMost("lost", result.lost(), 0))
                .figure(BenchmarkMetric.atMost("wrong", result.wrong(), 0))
                .with("minutes", minutes)
                .with("seed", seed)
                .with("operations", operations)
                .with("faults", faults)
                .with("faults_by_kind", result.faults())
                .with("operations_by_outcome", result.operations())
                .with("lost", result.lost())
                .with("wrong", result.wrong())
                .with("settled", result.unsettled().isEmpty())
                .require(result.pass())
                .print(console());
        return exit == ExitCode.OK ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private void table(String title, Map<String, ? extends Number> values) {
        line("%s", title);
        values.forEach((name, count) -> line("  %-28s %,d", name, count.longValue()));
    }

    private void line(String format, Object... arguments) {
        console().println(String.format(Locale.ROOT, format, arguments));
    }
}
