package io.uniserve.benchmark.shardsets;

import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.chart.GroupedBarChart;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench shardsets}. */
@Command(
        name = "shardsets",
        description = {
            "Latency of queries that read several actors together (shard sets) under different placement policies of the"
                    + " coordinator (paper, figure 11). Each server is a process with a CPU quota. A query scans all rows of its"
                    + " actors, and its latency is that of its last actor. Every answer is compared with the rows.",
            "Workloads: ranges of neighbours; scattered sets; mixed: narrow and wide sets; drift: a tenth of the sets exchange"
                    + " their popularity half way. Queries start at a fixed rate, a part of the capacity that is measured once, and"
                    + " latencies count from the intended start. Every policy starts with neighbours side by side.",
            "The measurement starts when the placement has not changed for three periods and a search, or after --adapt seconds. Row none"
                    + " is the placement of the start. Policy milp is skipped without the solver's jars."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench shardsets",
            "  uniserve bench shardsets --policies greedy,parallelism --adapt 60 --plot p99.svg",
            "  uniserve bench shardsets --workloads ranges,drift --seconds 20 --load 0.7",
            "  uniserve bench shardsets --servers 4 --actors 64 --quota 0.3 --copies-max 0"
        })
public final class ShardSetsCommand extends CliCommand {
    private static final int ACTORS_MIN = 8;

    @Option(
            names = "--workloads",
            split = ",",
            paramLabel = "NAME",
            description = "Workloads (default: ranges,scattered,mixed,drift).")
    private List<String> workloads =
            List.of(ShardSetKind.values()).stream().map(ShardSetKind::label).toList();

    @Option(
            names = "--policies",
            split = ",",
            paramLabel = "NAME",
            description = "Policies of the coordinator (default: greedy,estore,getafix,parallelism,milp).")
    private List<String> policies = List.of("greedy", "estore", "getafix", "parallelism", "milp");

    @Option(names = "--servers", paramLabel = "N", description = "Servers (default: 6).")
    private int servers = 6;

    @Option(
            names = "--actors",
            paramLabel = "N",
            description = "Actors of the table, rf 1, a multiple of --servers (default: 48).")
    private int actors = 48;

    @Option(names = "--rows", paramLabel = "N", description = "Rows of the table (default: 120000).")
    private int rows = 120_000;

    @Option(names = "--sets", paramLabel = "N", description = "Shard sets per workload (default: 48).")
    private int sets = 48;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each server (default: 256m).")
    private String heap = "256m";

    @Option(
            names = "--quota",
            paramLabel = "CORES",
            description = "CPU limit per server. Needs root; 0 for no limit (default: 0.2).")
    private double quota = 0.2;

    @Option(
            names = "--load",
            paramLabel = "PART",
            description = "Part of the measured capacity that the queries need, 0.05 to 0.95 (default: 0.6).")
    private double load = 0.6;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Maximum number of queries under way; further ones wait, which counts (default: 64).")
    private int clients = 64;

    @Option(names = "--seconds", paramLabel = "N", description = "Length of each measurement (default: 8).")
    private double seconds = 8;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Queries without a CPU limit, once (default: 8).")
    private double warmUp = 8;

    @Option(
            names = "--calibration",
            paramLabel = "SECONDS",
            description = "Queries at capacity under the CPU limit, once (default: 6).")
    private double calibration = 6;

    @Option(names = "--period", paramLabel = "SECONDS", description = "Period of the balancer (default: 4).")
    private double period = 4;

    @Option(
            names = "--adapt",
            paramLabel = "SECONDS",
            description =
                    "Maximum time for changes before a measurement, at least three periods; six for drift (default: 40).")
    private double adapt = 40;

    @Option(
            names = "--copies-max",
            paramLabel = "N",
            description = "Maximum replicas of an actor; 0 for no copies (default: 4).")
    private int copiesMax = 4;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the sets (default: 1).")
    private long seed = 1;

    @Option(names = "--plot", paramLabel = "FILE", description = "Write the p99 per workload and policy here, as SVG.")
    private @Nullable Path plot;

    @Override
    public Integer call() throws IOException {
        ShardSetsSettings settings = settings();
        ShardSetsResult result;
        try (Workspace workspace = Workspace.temporary("uniserve-bench")) {
            result = new ShardSetsBench(workspace.directory(), settings, console(), clock()::nanos).run();
        }
        result.table().forEach(console()::println);
        result.summary().forEach(console()::println);
        result.messages().forEach(message -> console().println("FAILED " + message));
        if (plot != null) {
            Files.writeString(plot, svg(result));
        }
        ResultLine line = ResultLine.of("bench shardsets", arguments());
        result.figures().forEach(line::figure);
        line.with("quota", quota)
                .with("load", load)
                .with("servers", servers)
                .with("actors", actors)
                .with("rows", rows)
                .with("sets", sets)
                .with("periodSeconds", period)
                .with("queries", result.queries())
                .with("failed", result.failed())
                .with("wrong", result.wrong())
                .with("skipped", result.skipped())
                .with("rowsPerPolicy", result.fields())
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", System.getProperty("java.version"));
        return line.require(result.failed() == 0 && result.wrong() == 0).print(console());
    }

    /** Plots the p99 of every row. */
    static String svg(ShardSetsResult result) {
        GroupedBarChart chart = new GroupedBarChart("p99 of queries per workload and policy", "ms");
        result.rows().forEach(row -> chart.bar(row.workload().label(), row.policy(), row.p99()));
        return chart.svg();
    }

    private ShardSetsSettings settings() {
        List<ShardSetKind> chosen = new ArrayList<>();
        for (String name : workloads) {
            try {
                chosen.add(ShardSetKind.named(name));
            } catch (UniserveException e) {
                throw usageError(e.reason());
            }
        }
        for (String policy : policies) {
            checkPolicy(policy);
        }
        checkNumbers();
        checkSeconds();
        checkPlot();
        ShardSetsSettings settings = new ShardSetsSettings(
                chosen.stream().distinct().toList(),
                policies.stream().distinct().toList(),
                servers,
                actors,
                rows,
                sets,
                heap,
                quota,
                load,
                clients,
                warmUp,
                calibration,
                seconds,
                period,
                adapt,
                copiesMax,
                seed);
        if (ServerQuota.of(quota).isRefused()) {
            throw usageError("--quota is " + quota + ": this process may not create control groups. Run it as root, or"
                    + " use --quota 0 for servers without a limit");
        }
        return settings;
    }

    private void checkPolicy(String policy) {
        if (!PolicyCatalog.names().contains(policy)) {
            throw usageError("--policies has \"" + policy + "\": use " + String.join(", ", PolicyCatalog.names()));
        }
        try {
            PolicyAvailability.check(policy);
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.UNSUPPORTED) {
                throw e;
            }
            console().note("policy " + policy + " will be skipped: " + e.reason());
        }
    }

    private void checkPlot() {
        Path folder = plot == null ? null : plot.toAbsolutePath().getParent();
        if (plot != null && (Files.isDirectory(plot) || folder == null || !Files.isDirectory(folder))) {
            throw usageError("--plot is " + plot + ": use a file in an existing directory");
        }
    }

    private void checkNumbers() {
        checkRange("--servers", servers, 2, 16);
        checkRange("--actors", actors, ACTORS_MIN, 1_024);
        if (actors % servers != 0) {
            throw usageError("--actors is " + actors + ": use a multiple of --servers, which is " + servers
                    + ", so that the placement at the start is even");
        }
        checkRange("--rows", rows, 10L * actors, 10_000_000);
        checkRange("--sets", sets, 2, 200);
        checkRange("--clients", clients, 1, 1_024);
        checkRange("--copies-max", copiesMax, 0, 16);
        if (!(load >= 0.05 && load <= 0.95)) {
            throw usageError("--load is " + load + ": use 0.05 to 0.95");
        }
        if (!(quota == 0 || (quota >= 0.01 && quota <= 64))) {
            throw usageError("--quota is " + quota + ": use 0.01 to 64, or 0 for no limit");
        }
        if (!heap.matches("\\d{1,6}[mg]")) {
            throw usageError("--heap is \"" + heap + "\": use a number and m or g, e.g. 512m");
        }
    }

    private void checkSeconds() {
        checkSeconds("--seconds", seconds, 0.1);
        checkSeconds("--warm-up", warmUp, 0);
        checkSeconds("--calibration", calibration, 0.1);
        checkSeconds("--period", period, 0.5);
        int parts = workloads.contains(ShardSetKind.DRIFT.label()) ? 2 : 1;
        checkSeconds("--adapt", adapt, parts * ShardSetsSettings.PERIODS_MIN * period);
    }

    private void checkSeconds(String option, double value, double min) {
        if (!(value >= min && value <= 3_600)) {
            throw usageError(option + " is " + value + ": use " + min + " to 3600.0 seconds");
        }
    }
}
