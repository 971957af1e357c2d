package io.uniserve.benchmark.placement;

import io.uniserve.benchmark.chart.LineChart;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.simulate.AccessPattern;
import io.uniserve.placement.simulate.ClusterShape;
import io.uniserve.placement.simulate.ClusterSimulator;
import io.uniserve.placement.simulate.IntervalResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Simulation of workloads, once per policy. It reports latency, balance and moves: a table, result fields, a plot per workload. */
final class WorkloadSimulationRunner {
    /** Default policies. */
    static final List<String> POLICIES = List.of("parallelism", "greedy", "estore", "getafix", "static");

    private final Console console;
    private final ClusterShape shape;
    private final Supplier<SearchBudget> effort;
    private final @Nullable Path svg;
    private final TextTable table =
            new TextTable("workload", "policy", "p50", "p99", "worst p99", "busiest", "adds", "replicas");
    private final List<Map<String, Object>> results = new ArrayList<>();

    WorkloadSimulationRunner(Console console, ClusterShape shape, Supplier<SearchBudget> effort, @Nullable Path svg) {
        this.console = console;
        this.shape = shape;
        this.effort = effort;
        this.svg = svg;
    }

    /** Prints the table of results. */
    void printTable(ResultLine line) {
        table.print(console);
        line.with("results", results);
    }

    void run(AccessPattern accessPattern, List<String> policies) {
        String name = accessPattern.name().toLowerCase(Locale.ROOT);
        LineChart chart = new LineChart("99th percentile of latency, " + name, "interval", "p99", false, true);
        for (String policy : policies) {
            console.note("simulate-cluster: " + name + ", " + policy);
            PolicyRunner runner = new PolicyRunner(ConstraintCatalog.standard(), 0);
            List<IntervalResult> run =
                    new ClusterSimulator(shape, accessPattern, PolicyCatalog.byName(policy), runner, effort).run();
            chart.line(
                    policy,
                    run.stream().map(i -> new double[] {i.number(), i.p99()}).toList());
            row(name, policy, run);
        }
        if (svg != null) {
            BenchOutput.save(svg, "simulate-" + name + ".svg", chart.svg());
        }
    }

    private void row(String name, String policy, List<IntervalResult> run) {
        // In the first half the policy is still far from its steady state.
        List<IntervalResult> steady = run.subList(run.size() / 2, run.size());
        double p50 = steady.stream().mapToDouble(IntervalResult::p50).average().orElse(0);
        double p99 = steady.stream().mapToDouble(IntervalResult::p99).average().orElse(0);
        double worst = steady.stream().mapToDouble(IntervalResult::p99).max().orElse(0);
        double busiest =
                steady.stream().mapToDouble(IntervalResult::busiest).average().orElse(0);
        int adds = run.stream().mapToInt(IntervalResult::adds).sum();
        int replicas = run.get(run.size() - 1).replicas();
        table.row(name, policy, twoDigits(p50), twoDigits(p99), twoDigits(worst), twoDigits(busiest), adds, replicas);
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

    private static String twoDigits(double value) {
        return BenchOutput.decimal(value, 2);
    }
}
