package io.uniserve.cli.place;

import io.uniserve.balance.catalog.Policies;
import io.uniserve.balance.check.PlacementCheck;
import io.uniserve.balance.constraint.Constraints;
import io.uniserve.balance.generate.InstanceGenerator;
import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.Effort;
import io.uniserve.balance.run.PlacementResult;
import io.uniserve.balance.run.PolicyRunner;
import io.uniserve.balance.text.Instance;
import io.uniserve.protocol.env.Clock;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/** Runs one case over its seeds and rounds; every round is recomputed by the independent checker. */
final class BenchRun {
    private final BenchCase what;
    private final Clock clock;
    private final Consumer<String> raw;
    private final PolicyRunner runner = new PolicyRunner(Constraints.standard(), 0);
    private final BenchScore score = new BenchScore();

    BenchRun(BenchCase what, Clock clock, Consumer<String> raw) {
        this.what = what;
        this.clock = clock;
        this.raw = raw;
    }

    BenchScore run(int seeds) {
        for (int seed = 1; seed <= seeds; seed++) {
            chain(seed);
        }
        return score;
    }

    private void chain(int seed) {
        Instance instance = InstanceGenerator.make(what.shape(), seed);
        BalancePolicy policy = Policies.named(what.policy());
        Assignment current = instance.initial();
        int rounds = instance.rounds().size();
        for (int round = 0; round < rounds; round++) {
            PlacementResult result = once(policy, problem(instance, round, current), seed, round, "round");
            score.add(round, result.check(), instance.servers(), seconds);
            current = result.assignment();
        }
        PlacementResult again = once(policy, problem(instance, rounds - 1, current), seed, rounds - 1, "again");
        score.again(again.check().adds() + again.check().drops());
    }

    private double seconds;

    private PlacementResult once(BalancePolicy policy, ClusterLoad in, int seed, int round, String kind) {
        double most = PlaceOptions.secondsFor(in.actors());
        long start = clock.nanos();
        Effort effort = new Effort(seed, () -> clock.nanos() - start > most * 1e9, most);
        PlacementResult result = runner.run(policy, in, effort);
        seconds = (clock.nanos() - start) / 1e9;
        PlacementCheck check = result.check();
        raw.accept(String.format(
                Locale.ROOT,
                "%s\t%s\t%d\t%d\t%s\t%.4f\t%.6f\t%.6f\t%.6f\t%d\t%d\t%d\t%.6f\t%.6f",
                kind,
                what.name(),
                seed,
                round,
                result.status(),
                seconds,
                check.contention(),
                check.bound(),
                check.outside(),
                check.adds(),
                check.drops(),
                check.replicas(),
                check.largest(),
                check.least()));
        return result;
    }

    private ClusterLoad problem(Instance instance, int round, Assignment current) {
        ClusterLoad in = instance.at(round, current, 0.05, what.shape().rf());
        if (!what.unequal()) {
            return in;
        }
        double[] weights = new double[in.servers()];
        double[] capacity = new double[in.servers()];
        Arrays.setAll(weights, j -> 1 + j % 3);
        Arrays.setAll(capacity, j -> instance.slots() * weights[j]);
        return in.toBuilder().weights(weights).capacity(capacity).build();
    }
}
