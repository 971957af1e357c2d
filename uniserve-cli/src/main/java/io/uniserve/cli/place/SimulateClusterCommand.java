package io.uniserve.cli.place;

import io.uniserve.balance.catalog.Policies;
import io.uniserve.balance.constraint.Constraints;
import io.uniserve.balance.policy.Effort;
import io.uniserve.balance.run.PolicyRunner;
import io.uniserve.balance.simulate.ClusterShape;
import io.uniserve.balance.simulate.ClusterSimulator;
import io.uniserve.balance.simulate.Interval;
import io.uniserve.balance.simulate.Workload;
import io.uniserve.cli.CliCommand;
import io.uniserve.cli.ResultLine;
import io.uniserve.cli.TextTable;
import io.uniserve.cli.chart.LineChart;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve simulate-cluster}. */
@Command(
        name = "simulate-cluster",
        description = {
            "Simulates servers with cores under a workload, once a policy: latency of queries, the busiest server, moves,"
                    + " interval by interval. Queueing only: replicas move at once, nothing fails.",
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
                    "scans, hotspot (7/8 of the queries to 1/8 of the actors), skew (one that wanders), time (newest"
                            + " most); one or several (default: all).")
    private List<String> workloads = List.of("scans", "hotspot", "skew", "time");

    @Option(names = "--policies", split = ",", paramLabel = "NAME", description = "Policies (default: all five).")
    private List<String> policies = List.of("parallelism", "greedy", "estore", "getafix", "static");

    @Option(names = "--servers", paramLabel = "N", description = "Servers (default: 20).")
    private int servers = 20;

    @Option(names = "--actors", paramLabel = "N", description = "Actors (default: 200).")
    private int actors = 200;

    @Option(names = "--cores", paramLabel = "N", description = "Cores of a server (default: 4).")
    private int cores = 4;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Replicas a server has memory for (default: 1.6 times its part).")
    private int slots;

    @Option(names = "--intervals", paramLabel = "N", description = "Intervals (default: 20).")
    private int intervals = 20;

    @Option(names = "--queries", paramLabel = "N", description = "Queries of an interval (default: 20000).")
    private int queries = 20_000;

    @Option(names = "--utilization", paramLabel = "U", description = "Part of all cores that is needed (default: 0.6).")
    private double utilization = 0.6;

    @Option(names = "--seed", paramLabel = "S", description = "Seed (default: 1).")
    private long seed = 1;

    @Option(
            names = "--time-limit",
            paramLabel = "S",
            description = "Seconds of a policy's search an interval (default: 1).")
    private double timeLimit = 1;

    @Option(names = "--svg", paramLabel = "DIRECTORY", description = "Write a plot for each workload here.")
    private @Nullable Path svg;

    @Override
    public Integer call() {
        range("--servers", servers, 1, 1_000);
        range("--actors", actors, 8, 100_000);
        range("--cores", cores, 1, 256);
        range("--intervals", intervals, 1, 10_000);
        range("--queries", queries, 100, 10_000_000);
        if (!(utilization > 0 && utilization < 1) || !(timeLimit > 0 && timeLimit <= 3_600)) {
            throw usage("--utilization is " + utilization + ", --time-limit " + timeLimit
                    + ": use more than 0, less than 1, and 0 to 3600 seconds");
        }
        int room = given("--slots") ? slots : (int) Math.ceil(1.6 * actors / servers) + 1;
        range("--slots", room, (actors + servers - 1) / servers, Integer.MAX_VALUE);
        ClusterShape shape = new ClusterShape(actors, servers, cores, room, intervals, queries, utilization, seed);
        SolverFolder.use();
        ResultLine line = ResultLine.of("simulate-cluster", arguments());
        TextTable table = new TextTable("workload", "policy", "p50", "p99", "worst p99", "busiest", "adds", "replicas");
        List<Map<String, Object>> results = new ArrayList<>();
        workloads.forEach(name -> simulate(workload(name), shape, table, results));
        table.print(console());
        return line.with("results", results).print(console());
    }

    private Workload workload(String name) {
        for (Workload candidate : Workload.values()) {
            if (candidate.name().toLowerCase(Locale.ROOT).equals(name)) {
                return candidate;
            }
        }
        throw usage("--workload is '" + name + "': use scans, hotspot, skew or time");
    }

    private void simulate(Workload workload, ClusterShape shape, TextTable table, List<Map<String, Object>> results) {
        String name = workload.name().toLowerCase(Locale.ROOT);
        LineChart chart = new LineChart("99th percentile of latency, " + name, "interval", "p99", false, true);
        for (String policy : policies) {
            console().note("simulate-cluster: " + name + ", " + policy);
            PolicyRunner runner = new PolicyRunner(Constraints.standard(), 0);
            List<Interval> run = new ClusterSimulator(shape, workload, Policies.named(policy), runner, effort()).run();
            chart.line(
                    policy,
                    run.stream().map(i -> new double[] {i.number(), i.p99()}).toList());
            // The first half is the policy's way from the first placement.
            List<Interval> steady = run.subList(run.size() / 2, run.size());
            double p50 = steady.stream().mapToDouble(Interval::p50).average().orElse(0);
            double p99 = steady.stream().mapToDouble(Interval::p99).average().orElse(0);
            double worst = steady.stream().mapToDouble(Interval::p99).max().orElse(0);
            double busiest =
                    steady.stream().mapToDouble(Interval::busiest).average().orElse(0);
            int adds = run.stream().mapToInt(Interval::adds).sum();
            int replicas = run.get(run.size() - 1).replicas();
            table.row(name, policy, two(p50), two(p99), two(worst), two(busiest), adds, replicas);
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("workload", name);
            fields.put("policy", policy);
            fields.put("p50", p50);
            fields.put("p99", p99);
            fields.put("worstP99", worst);
            fields.put("busiest", busiest);
            fields.put("adds", adds);
            fields.put("replicas", replicas);
            results.add(fields);
        }
        if (svg != null) {
            PlacementBenchCommand.save(svg, "simulate-" + name + ".svg", chart.svg());
        }
    }

    private Supplier<Effort> effort() {
        return () -> {
            long start = clock().nanos();
            return new Effort(seed, () -> clock().nanos() - start > timeLimit * 1e9, timeLimit);
        };
    }

    private static String two(double value) {
        return PlacementBenchCommand.decimal(value, 2);
    }
}
