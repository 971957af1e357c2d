package io.uniserve.benchmark.placement;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.MovesBound;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.PlacementInstance;
import io.uniserve.runtime.time.CpuClock;
import java.util.Arrays;
import java.util.Locale;

/** Run of one case over its seeds and rounds. The independent checker recomputes every round. */
final class BenchRun {
    private final BenchCase benchCase;
    private final BenchSettings settings;
    private final PolicyRunner runner = new PolicyRunner(ConstraintCatalog.standard(), 0);
    private final BenchScore score = new BenchScore();
    private double seconds;
    private double cpuSeconds;

    BenchRun(BenchCase what, BenchSettings settings) {
        this.benchCase = what;
        this.settings = settings;
    }

    BenchScore run(int seeds) {
        for (int seed = 1; seed <= seeds; seed++) {
            runRounds(seed);
        }
        return score;
    }

    private void runRounds(int seed) {
        PlacementInstance instance = InstanceGenerator.make(benchCase.shape(), seed);
        BalancePolicy policy = PolicyCatalog.byName(benchCase.policy());
        Assignment current = instance.initial();
        int rounds = instance.rounds().size();
        for (int round = 0; round < rounds; round++) {
            ClusterLoad in = problem(instance, round, current);
            PlacementResult result = runRound(policy, in, seed, round, "round");
            score.add(round, result.check(), instance.servers(), seconds, cpuSeconds);
            MovesBound bound = settings.movesBound();
            if (bound != null && result.check().gap() < 1e-9) {
                score.bound(round, result.check().adds(), bound.leastAdds(in, settings.boundSeconds()));
            }
            current = result.assignment();
        }
        PlacementResult again = runRound(policy, problem(instance, rounds - 1, current), seed, rounds - 1, "again");
        score.addRepeat(again.check().adds() + again.check().drops());
    }

    private PlacementResult runRound(BalancePolicy policy, ClusterLoad in, int seed, int round, String kind) {
        long start = settings.clock().nanos();
        long cpuStart = CpuClock.nanos();
        PlacementResult result = runner.run(policy, in, settings.effort(seed, in.actors()));
        seconds = (settings.clock().nanos() - start) / 1e9;
        cpuSeconds = (CpuClock.nanos() - cpuStart) / 1e9;
        PlacementProperties check = result.check();
        settings.raw()
                .accept(String.format(
                        Locale.ROOT,
                        "%s\t%s\t%d\t%d\t%s\t%.4f\t%.4f\t%.6f\t%.6f\t%.6f\t%d\t%d\t%d\t%.6f\t%.6f",
                        kind,
                        benchCase.name(),
                        seed,
                        round,
                        result.status(),
                        seconds,
                        cpuSeconds,
                        check.contention(),
                        check.bound(),
                        check.outsideTolerance(),
                        check.adds(),
                        check.drops(),
                        check.replicas(),
                        check.largestLoad(),
                        check.leastLoad()));
        return result;
    }

    private ClusterLoad problem(PlacementInstance instance, int round, Assignment current) {
        ClusterLoad in = instance.at(round, current, 0.05, benchCase.shape().rf());
        if (!benchCase.unequalWeights()) {
            return in;
        }
        double[] weights = new double[in.servers()];
        double[] capacity = new double[in.servers()];
        Arrays.setAll(weights, j -> 1 + j % 3);
        Arrays.setAll(capacity, j -> instance.slots() * weights[j]);
        return in.toBuilder().weights(weights).capacity(capacity).build();
    }
}
