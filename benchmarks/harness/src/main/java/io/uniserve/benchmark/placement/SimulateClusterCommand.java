package io.uniserve.benchmark.placement;

import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.SolverJarLoader;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.simulate.AccessPattern;
import io.uniserve.placement.simulate.ClusterShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve simulate-cluster}. */
@Command(
        name = "simulate-cluster",
        description = {
            "Simulates servers with cores under a workload, once per policy: latency of queries, the busiest server, moves,"
                    + " interval by interval. Queueing only: moves take no time, nothing fails.",
            "Latencies are in units of the mean time that a query needs on one actor. Same seed, same result."
        },
        footer = {
            "  uniserve simulate-cluster --workload hotspot",
            "  uniserve simulate-cluster --workload time --servers 100 --actors 2000 --svg plots"
        })
public final class SimulateClusterCommand extends CliCommand {
    @Option(
            names = "--workload",
            split = ",",
            paramLabel = "NAME",
            description =
                    "scans, hotspot (7/8 of the queries to 1/8 of the actors), skew (a hotspot that moves), time (newest"
                            + " most); one or several (default: all).")
    private List<String> workloads = List.of("scans", "hotspot", "skew", "time");

    @Option(names = "--policies", split = ",", paramLabel = "NAME", description = "Policies (default: all five).")
    private List<String> policies = WorkloadSimulationRunner.POLICIES;

    @Option(names = "--servers", paramLabel = "N", description = "Servers (default: 20).")
    private int servers = 20;

    @Option(names = "--actors", paramLabel = "N", description = "Actors (default: 200).")
    private int actors = 200;

    @Option(names = "--cores", paramLabel = "N", description = "Cores per server (default: 4).")
    private int cores = 4;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Replicas that fit into a server's memory (default: 1.6 times its share).")
    private int slots;

    @Option(names = "--intervals", paramLabel = "N", description = "Intervals (default: 20).")
    private int intervals = 20;

    @Option(names = "--queries", paramLabel = "N", description = "Queries per interval (default: 20000).")
    private int queries = 20_000;

    @Option(
            names = "--utilization",
            paramLabel = "U",
            description = "Share of all cores that the load needs (default: 0.6).")
    private double utilization = 0.6;

    @Option(names = "--seed", paramLabel = "S", description = "Seed (default: 1).")
    private long seed = 1;

    @Option(
            names = "--time-limit",
            paramLabel = "S",
            description = "Seconds of a policy's search per interval (default: 1).")
    private double timeLimit = 1;

    @Option(names = "--svg", paramLabel = "DIRECTORY", description = "Write a plot for each workload here.")
    private @Nullable Path svg;

    @Override
    public Integer call() {
        checkRange("--servers", servers, 1, 1_000);
        checkRange("--actors", actors, 8, 100_000);
        checkRange("--cores", cores, 1, 256);
        checkRange("--intervals", intervals, 1, 10_000);
        checkRange("--queries", queries, 100, 10_000_000);
        if (!(utilization > 0 && utilization < 1) || !(timeLimit > 0 && timeLimit <= 3_600)) {
            throw usageError("--utilization is " + utilization + ", --time-limit " + timeLimit
                    + ": use more than 0, less than 1, and 0 to 3600 seconds");
        }
        int room = isGiven("--slots") ? slots : (int) Math.ceil(1.6 * actors / servers) + 1;
        checkRange("--slots", room, (actors + servers - 1) / servers, Integer.MAX_VALUE);
        ClusterShape shape = new ClusterShape(actors, servers, cores, room, intervals, queries, utilization, seed);
        SolverJarLoader.addToClassLoader();
        ResultLine line = ResultLine.of("simulate-cluster", arguments());
        WorkloadSimulationRunner runs = new WorkloadSimulationRunner(console(), shape, this::effort, svg);
        workloads.forEach(name -> runs.run(workload(name), policies));
        runs.printTable(line);
        return line.print(console());
    }

    private AccessPattern workload(String name) {
        for (AccessPattern candidate : AccessPattern.values()) {
            if (candidate.name().toLowerCase(Locale.ROOT).equals(name)) {
                return candidate;
            }
        }
        throw usageError("--workload is '" + name + "': use scans, hotspot, skew or time");
    }

    private SearchBudget effort() {
        long start = clock().nanos();
        return new SearchBudget(seed, () -> clock().nanos() - start > timeLimit * 1e9, timeLimit);
    }
}
