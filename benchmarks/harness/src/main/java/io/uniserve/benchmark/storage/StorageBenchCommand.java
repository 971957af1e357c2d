package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench storage}. */
@Command(
        name = "storage",
        description = {
            "Durable storage in a directory and in a bucket of versitygw, with clusters of processes. A proxy in front"
                    + " of versitygw counts requests and bytes:",
            "  backup        load a table and back it up: objects, bytes, requests and time",
            "  restore       restore that backup under another name; every row is compared",
            "  idle          requests per hour without updates",
            "  steady        requests per second under small updates of many actors",
            "  remote        acknowledgement with durability REMOTE, beside one PUT and a LOCAL update",
            "  failures      load, backup and restoration while 10 %% of the requests fail",
            "  two-clusters  two clusters in one bucket, and a new cluster beside its living predecessor: the bytes of"
                    + " all objects before and after",
            "  rebirth       kill of all processes; a new cluster with empty disks restores from the store"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench storage",
            "  uniserve bench storage --full --raw storage.tsv",
            "  uniserve bench storage --parts idle,steady --stores versitygw",
            "  uniserve bench storage --parts two-clusters --runs 10 --versitygw /opt/versitygw"
        })
public final class StorageBenchCommand extends CliCommand {
    static final String DIRECTORY = "directory";
    static final String VERSITYGW = "versitygw";
    private static final List<String> STORES = List.of(DIRECTORY, VERSITYGW);

    @Option(names = "--parts", split = ",", paramLabel = "NAME,...", description = "Only these (default: all).")
    private List<String> parts = List.of();

    @Option(
            names = "--stores",
            split = ",",
            paramLabel = "NAME,...",
            description = "Kinds of store (default: directory,versitygw).")
    private List<String> stores = STORES;

    @Option(
            names = "--versitygw",
            paramLabel = "FILE",
            description =
                    "Program of versitygw (default: on the PATH or in ~/go/bin; without it its rows are skipped).")
    private @Nullable Path gateway;

    @Option(
            names = "--full",
            description =
                    "1,024 MiB, 600 s idle after 900 s, 720 s steady, 2,000 updates of durability REMOTE, 10 runs. Explicit"
                            + " options take precedence.")
    private boolean full;

    @Option(names = "--servers", paramLabel = "N", description = "Servers of a cluster (default: 2).")
    private int servers = 2;

    @Option(names = "--mib", paramLabel = "N", description = "MiB of rows to back up and restore (default: 32).")
    private int mebibytes = 32;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of idle and steady (default: 64).")
    private int actors = 64;

    @Option(names = "--rate", paramLabel = "N", description = "Updates per second of steady (default: 1000).")
    private int rate = 1_000;

    @Option(names = "--steady-seconds", paramLabel = "N", description = "Length of steady (default: 8).")
    private double steadySeconds = 8;

    @Option(
            names = "--settle-seconds",
            paramLabel = "N",
            description =
                    "Time without updates before idle is measured (default: 8). Servers replace the objects of the"
                            + " last updates for 12 minutes.")
    private double settleSeconds = 8;

    @Option(names = "--idle-seconds", paramLabel = "N", description = "Length of idle (default: 10).")
    private double idleSeconds = 10;

    @Option(names = "--remote-updates", paramLabel = "N", description = "Updates of remote (default: 200).")
    private int remoteUpdates = 200;

    @Option(names = "--runs", paramLabel = "N", description = "Runs of two-clusters (default: 1).")
    private int runs = 1;

    @Option(
            names = "--fail-percent",
            paramLabel = "N",
            description = "Percentage of requests that fail in failures (default: 10).")
    private double failPercent = 10;

    @Option(
            names = "--brief",
            description = "Daemons that start sooner but stay slow: to try the bench, not to measure.")
    private boolean brief;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every measured value here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        StorageBenchSettings settings = settings();
        // The client of the store in this process takes its credentials from here, as the servers do.
        System.setProperty("aws.accessKeyId", VersityProcess.ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", VersityProcess.SECRET_KEY);
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            ResultCollector results = new ResultCollector(clock()::nanos, log, console());
            new StorageBench(results, settings, workspace.directory()).run();
            ResultLine line = ResultLine.of("bench storage", arguments());
            results.figures().forEach(line::figure);
            return line.with("servers", servers)
                    .with("mib", mebibytes)
                    .with("versitygw", settings.gateway().isPresent())
                    .with("cores", Runtime.getRuntime().availableProcessors())
                    .with("java", Objects.toString(System.getProperty("java.version")))
                    .print(console());
        }
    }

    private StorageBenchSettings settings() {
        if (full) {
            mebibytes = isGiven("--mib") ? mebibytes : 1_024;
            idleSeconds = isGiven("--idle-seconds") ? idleSeconds : 600;
            settleSeconds = isGiven("--settle-seconds") ? settleSeconds : 900;
            steadySeconds = isGiven("--steady-seconds") ? steadySeconds : 720;
            remoteUpdates = isGiven("--remote-updates") ? remoteUpdates : 2_000;
            runs = isGiven("--runs") ? runs : 10;
        }
        checkRange("--servers", servers, 1, 16);
        checkRange("--mib", mebibytes, 1, 4_096);
        checkRange("--actors", actors, 1, 1_024);
        checkRange("--rate", rate, 1, 100_000);
        checkRange("--remote-updates", remoteUpdates, 10, 100_000);
        checkRange("--runs", runs, 1, 1_000);
        checkDecimal("--steady-seconds", steadySeconds, 1, 3_600);
        checkDecimal("--settle-seconds", settleSeconds, 0, 86_400);
        checkDecimal("--idle-seconds", idleSeconds, 1, 86_400);
        checkDecimal("--fail-percent", failPercent, 0, 50);
        stores.stream().filter(store -> !STORES.contains(store)).findFirst().ifPresent(store -> {
            throw usageError("--stores names " + store + ": use " + String.join(",", STORES));
        });
        if (gateway != null && !Files.isExecutable(gateway)) {
            throw usageError("--versitygw is " + gateway + ": there is no program with this name");
        }
        return new StorageBenchSettings(
                chosen(),
                stores,
                stores.contains(VERSITYGW) ? VersityProcess.find(gateway) : Optional.empty(),
                servers,
                mebibytes,
                actors,
                rate,
                steadySeconds,
                settleSeconds,
                idleSeconds,
                remoteUpdates,
                runs,
                failPercent / 100,
                brief);
    }

    private void checkDecimal(String option, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw usageError(option + " is " + value + ": use " + min + " to " + max);
        }
    }

    private Set<StorageBenchPart> chosen() {
        if (parts.isEmpty()) {
            return EnumSet.allOf(StorageBenchPart.class);
        }
        EnumSet<StorageBenchPart> chosen = EnumSet.noneOf(StorageBenchPart.class);
        for (String name : parts) {
            chosen.add(StorageBenchPart.of(name)
                    .orElseThrow(() -> usageError("--parts names " + name + ": use "
                            + Arrays.stream(StorageBenchPart.values())
                                    .map(StorageBenchPart::word)
                                    .collect(Collectors.joining(",")))));
        }
        return chosen;
    }
}
