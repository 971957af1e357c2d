package io.uniserve.benchmark.upgrade;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench upgrade}. */
@Command(
        name = "upgrade",
        description = {
            "Rolling upgrade under load, between two distributions on this machine: ZooKeeper, two coordinators and"
                    + " three servers start from the old one, and restart one after the other from the new one. One server"
                    + " goes back to the old one and forward again on the way. A client of each distribution updates and"
                    + " queries an eventual and an atomic table with two replicas all the time.",
            "The last line is one JSON object; exit code 0 if no query or update failed, no answer was wrong and every"
                    + " acknowledged update is there."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench upgrade --old /opt/uniserve-0.1.0",
            "  uniserve bench upgrade --old /opt/uniserve-0.1.0 --new /opt/uniserve-0.2.0 --dir /tmp/upgrade"
        })
public final class UpgradeCommand extends CliCommand {
    private static final Set<String> FAULTS = Set.of("failed-queries", "failed-updates", "wrong", "lost");

    @Option(names = "--old", required = true, paramLabel = "DIR", description = "Distribution of the start.")
    private Path older = Path.of("");

    @Option(names = "--new", paramLabel = "DIR", description = "Distribution of the end (default: this one).")
    private @Nullable Path newer;

    @Option(names = "--dir", paramLabel = "DIR", description = "Keep data and logs here (default: a temporary one).")
    private @Nullable Path directory;

    @Option(
            names = "--drain-seconds",
            paramLabel = "N",
            description = "server.drain-timeout of all servers; with 0 their replicas stay with them (default: 3).")
    private int drainSeconds = 3;

    @Option(
            names = "--back",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "One server goes back to the old distribution on the way (default: yes).")
    private boolean back = true;

    @Override
    public Integer call() throws IOException {
        checkRange("--drain-seconds", drainSeconds, 0, 60);
        Path end = newer == null ? Path.of(System.getProperty("uniserve.home", "")) : newer;
        try (Workspace workspace = Workspace.of(directory, "uniserve-upgrade")) {
            Map<String, Long> sums = new UpgradeTrial(
                            new UnpackedRelease("old", older),
                            new UnpackedRelease("new", end),
                            workspace.directory(),
                            SystemClock.INSTANCE::nanos,
                            console()::println)
                    .run(Duration.ofSeconds(drainSeconds), back);
            ResultLine line = ResultLine.of("bench upgrade", arguments());
            sums.forEach((name, value) -> {
                if (FAULTS.contains(name)) {
                    line.figure(BenchmarkMetric.atMost(name, value, 0));
                } else {
                    line.with(name, value);
                }
            });
            line.require(sums.keySet().containsAll(FAULTS) && sums.getOrDefault("updates", 0L) > 0);
            return line.print(console());
        }
    }
}
