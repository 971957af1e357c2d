package io.uniserve.benchmark.placement;

import io.uniserve.benchmark.chart.LineChart;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.PlacementInstance;
import io.uniserve.protocol.env.Clock;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bench of the time and memory of a placement for growing clusters. */
final class PlacementScalingBench {
    private static final int[] ACTORS = {256, 512, 1024, 2048, 4096, 8192, 16384};
    private static final double MEBIBYTE = 1 << 20;

    private final Console console;
    private final Clock clock;
    private final @Nullable Path svg;
    private final List<double[]> first = new ArrayList<>();
    private final List<double[]> later = new ArrayList<>();
    private final List<double[]> memory = new ArrayList<>();

    PlacementScalingBench(Console console, Clock clock, @Nullable Path svg) {
        this.console = console;
        this.clock = clock;
        this.svg = svg;
    }

    void run(ResultLine line) {
        TextTable table =
                new TextTable("actors", "servers", "seconds first", "seconds later", "heap MiB", "gap %", "adds later");
        for (int n : ACTORS) {
            runSize(n, table, line);
        }
        table.print(console);
        if (svg != null) {
            BenchOutput.save(
                    svg,
                    "placement-time.svg",
                    new LineChart("Time of a placement, range sets, drift", "actors", "seconds", true, true)
                            .line("first round", first)
                            .line("later round", later)
                            .svg());
            BenchOutput.save(
                    svg,
                    "placement-memory.svg",
                    new LineChart("Largest heap during a placement", "actors", "MiB", true, true)
                            .line("heap", memory)
                            .svg());
        }
    }

    private void runSize(int n, TextTable table, ResultLine line) {
        console.note("bench placement: growth, " + n + " actors");
        PlacementInstance instance = InstanceGenerator.make(
                new InstanceParameters(n, 1_000, 2, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.RANGE, 1),
                1);
        Assignment current = instance.initial();
        double[] seconds = new double[2];
        double gap = 0;
        int adds = 0;
        resetPeaks();
        for (int round = 0; round < 2; round++) {
            ClusterLoad in = instance.at(round, current, 0.05, 1);
            double most = SearchBudget.secondsFor(n);
            long start = clock.nanos();
            SearchBudget searchBudget = new SearchBudget(1, () -> clock.nanos() - start > most * 1e9);
            PlacementResult result = new PolicyRunner(ConstraintCatalog.standard(), 0)
                    .run(PolicyCatalog.byName("parallelism"), in, searchBudget);
            seconds[round] = (clock.nanos() - start) / 1e9;
            gap = Math.max(gap, result.check().gap());
            adds = result.check().adds();
            current = result.assignment();
            line.require(
                    result.check().isBalanced(in.servers()) && result.check().isValid());
        }
        double heap = peak() / MEBIBYTE;
        first.add(new double[] {n, seconds[0]});
        later.add(new double[] {n, seconds[1]});
        memory.add(new double[] {n, heap});
        table.row(
                n,
                instance.servers(),
                BenchOutput.decimal(seconds[0], 2),
                BenchOutput.decimal(seconds[1], 2),
                BenchOutput.decimal(heap, 0),
                BenchOutput.decimal(100 * gap, 3),
                adds);
        line.figure(BenchmarkMetric.atMost(
                n + " actors: seconds", Math.max(seconds[0], seconds[1]), BenchGoals.seconds(n)));
        line.figure(BenchmarkMetric.atMost(n + " actors: contention above its bound", gap, 1e-6));
    }

    private static void resetPeaks() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            pool.resetPeakUsage();
        }
    }

    private static double peak() {
        double sum = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                sum += pool.getPeakUsage().getUsed();
            }
        }
        return sum;
    }
}
