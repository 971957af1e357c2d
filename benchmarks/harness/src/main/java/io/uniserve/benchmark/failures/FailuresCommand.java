package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.demo.EuroparlCorpus;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench failures}. */
@Command(
        name = "failures",
        description = {
            "Effect of real process failures on clients. Key-value tables on 3 servers with rf 2 (disk: rf 1):",
            "  primary      SIGKILL of primaries: time until updates succeed again",
            "  coordinator  SIGKILL of the leader of two: time until the standby has created a table",
            "  stopped      SIGSTOP of a server, then SIGCONT: count of stale answers",
            "  cluster      SIGKILL of everything under updates, restart: lost rows and time to recover",
            "  disk         loss of a server with its disk: time until others answer from durable storage",
            "and Solr tables of rf 1 and 4 on 4 servers:",
            "  queries      500 queries per minute of each, a server killed in the middle: a plot per second."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench failures --raw failures.tsv",
            "  uniserve bench failures --only primary,coordinator --repeat 5",
            "  uniserve bench failures --only primary -S zookeeper.session-timeout=3s",
            "  uniserve bench failures --only queries --minutes 2 --rf 1,2 --svg failures.svg"
        })
public final class FailuresCommand extends CliCommand {
    private static final int RF_MAX = 8;

    @Option(names = "--only", paramLabel = "NAME,...", split = ",", description = "Only these (default: all).")
    private List<String> only = List.of();

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Repetitions of everything, as one measurement (default: 1).")
    private int repeat = 1;

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "Primaries to kill; a third as many coordinators, a fifth as many clusters (default: 10).")
    private int kills = 10;

    @Option(names = "--rows", paramLabel = "N", description = "Rows of a key-value table (default: 2000).")
    private int rows = 2_000;

    @Option(names = "--stop", paramLabel = "SECONDS", description = "Time for which a server is stopped (default: 30).")
    private int stop = 30;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "Duration of the queries, 0.05 to 60; the kill is in the middle (default: 6).")
    private double minutes = 6;

    @Option(
            names = "--documents",
            paramLabel = "N",
            description = "Speeches per Solr table, 100 to 17597 (default: 4000).")
    private int documents = 4_000;

    @Option(
            names = "--rf",
            paramLabel = "N,...",
            split = ",",
            description =
                    "Replication factors of the Solr tables; the cluster has as many servers as the largest, at least 2 (default: 1,4).")
    private List<Integer> rfs = List.of(1, 4);

    @Option(
            names = "-S",
            paramLabel = "KEY=VALUE",
            description = "A setting of servers and coordinators, e.g. -S coordinator.loss-grace=10s; repeatable.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--brief",
            description = "Daemons that start sooner but stay slow: to try the bench, not to measure.")
    private boolean brief;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every kill, operation and row here.")
    private @Nullable Path raw;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "Write the plot of the queries here (default: uniserve-failures.svg).")
    private Path svg = Path.of("uniserve-failures.svg");

    @Override
    public Integer call() throws IOException {
        checkRange("--repeat", repeat, 1, 1_000);
        checkRange("--kills", kills, 1, 10_000);
        checkRange("--rows", rows, 100, 100_000);
        checkRange("--stop", stop, 1, 3_600);
        checkRange("--documents", documents, 100, EuroparlCorpus.LINES);
        rfs.forEach(rf -> checkRange("--rf", rf, 1, RF_MAX));
        if (rfs.isEmpty() || rfs.stream().distinct().count() < rfs.size()) {
            throw usageError("--rf is " + rfs + ": use different numbers, such as 1,4");
        }
        if (!(minutes >= 0.05 && minutes <= 60)) {
            throw usageError("--minutes is " + minutes + ": use 0.05 to 60");
        }
        Set<FailureScenario> chosen = chosen();
        Path folder = svg.toAbsolutePath().getParent();
        if (chosen.contains(FailureScenario.QUERIES) && (folder == null || !Files.isDirectory(folder))) {
            throw usageError("--svg is " + svg + ": there is no directory " + folder);
        }
        Map<String, String> inForce = EffectiveTimeouts.effective(settings);
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            console().println(EffectiveTimeouts.line(inForce));
            ResultCollector resultCollector = new ResultCollector(SystemClock.INSTANCE::nanos, log, console());
            FailureBenchScale failureBenchScale =
                    new FailureBenchScale(kills, rows, stop, minutes, documents, rfs, repeat);
            new FailuresBench(resultCollector, failureBenchScale, settings, brief, workspace.directory())
                    .run(chosen, svg);
            ResultLine line = ResultLine.of("bench failures", arguments());
            resultCollector.figures().forEach(line::figure);
            line.with("settings", inForce);
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }

    private Set<FailureScenario> chosen() {
        if (only.isEmpty()) {
            return EnumSet.allOf(FailureScenario.class);
        }
        EnumSet<FailureScenario> chosen = EnumSet.noneOf(FailureScenario.class);
        for (String name : only) {
            chosen.add(Arrays.stream(FailureScenario.values())
                    .filter(failureScenario -> failureScenario.word().equals(name))
                    .findFirst()
                    .orElseThrow(() -> usageError("--only names " + name + ": use "
                            + Arrays.stream(FailureScenario.values())
                                    .map(FailureScenario::word)
                                    .collect(Collectors.joining(",")))));
        }
        return chosen;
    }
}
