package io.uniserve.benchmark.placement;

import static io.uniserve.benchmark.placement.BenchOutput.decimal;

import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.generate.PaperSeries;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.PlacementInstance;
import io.uniserve.runtime.time.CpuClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Bench of the papers' scaling series: 16 to 1,024 actors, with and without parallelism. It ignores the first fifth of the rounds. */
final class PaperSeriesBench {
    private static final int[] ACTORS = {16, 32, 64, 128, 256, 512, 1_024};
    private static final List<String> POLICIES = List.of("parallelism", "greedy");

    private final Console console;
    private final BenchSettings settings;

    PaperSeriesBench(Console console, BenchSettings settings) {
        this.console = console;
        this.settings = settings;
    }

    void run(int rounds, ResultLine line) {
        TextTable table = new TextTable(
                "actors",
                "policy",
                "seconds",
                "cpu s",
                "slowest",
                "adds",
                "contention",
                "bound",
                "unbalanced",
                "replicas");
        for (int actors : ACTORS) {
            for (String policy : POLICIES) {
                console.note("bench placement: series, " + actors + " actors, " + policy);
                BenchScore score = runRounds(actors, rounds, PolicyCatalog.byName(policy));
                table.row(
                        actors,
                        policy,
                        decimal(score.secondsMedian(), 3),
                        decimal(score.cpuMedian(), 3),
                        decimal(score.secondsMax(), 2),
                        decimal(score.laterAdds(), 1),
                        decimal(score.contentionMean(), 3),
                        decimal(score.boundMean(), 3),
                        score.unbalanced(),
                        decimal(score.replicas(), 0));
                line.require(score.unsound() == 0);
                line.with(actors + " " + policy, fields(score));
            }
        }
        table.print(console);
    }

    private static Map<String, Object> fields(BenchScore score) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("seconds", score.secondsMedian());
        fields.put("adds", score.laterAdds());
        fields.put("contention", score.contentionMean());
        fields.put("bound", score.boundMean());
        fields.put("unbalanced", score.unbalanced());
        return fields;
    }

    private BenchScore runRounds(int actors, int rounds, BalancePolicy policy) {
        PlacementInstance instance = PaperSeries.make(actors, rounds, 1);
        PolicyRunner runner = new PolicyRunner(ConstraintCatalog.standard(), 0);
        BenchScore score = new BenchScore();
        Assignment current = instance.initial();
        for (int round = 0; round < rounds; round++) {
            ClusterLoad in = instance.at(round, current, PaperSeries.EPS, 1);
            long start = settings.clock().nanos();
            long cpuStart = CpuClock.nanos();
            PlacementResult result = runner.run(policy, in, settings.effort(1, actors));
            double took = (settings.clock().nanos() - start) / 1e9;
            if (round >= rounds / 5) {
                double cpu = (CpuClock.nanos() - cpuStart) / 1e9;
                score.add(round + 1, result.check(), in.servers(), took, cpu);
            }
            current = result.assignment();
        }
        return score;
    }
}
