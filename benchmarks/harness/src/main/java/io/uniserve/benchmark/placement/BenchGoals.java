package io.uniserve.benchmark.placement;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.placement.generate.InstanceParameters;
import java.util.ArrayList;
import java.util.List;

/** Goals per case of the placement benchmark. The number of moves has a goal only for cases with published results of a known balancer. */
final class BenchGoals {
    private static final double NOTHING = 1e-6;

    private BenchGoals() {}

    static List<BenchmarkMetric> figures(BenchCase what, BenchScore score) {
        List<BenchmarkMetric> figures = new ArrayList<>();
        String name = what.name() + ": ";
        figures.add(BenchmarkMetric.atMost(name + "rounds that break capacity, rf or shares", score.unsound(), 0));
        if (!what.policy().equals("parallelism")) {
            return figures;
        }
        InstanceParameters instanceParameters = what.shape();
        boolean drift = instanceParameters.change() == InstanceParameters.Change.DRIFT;
        figures.add(BenchmarkMetric.atMost(name + "rounds out of balance", score.unbalanced(), 0));
        figures.add(BenchmarkMetric.atMost(name + "moves for the same input again", score.againMoves(), 0));
        figures.add(BenchmarkMetric.atMost(
                name + "seconds, median", score.secondsMedian(), seconds(instanceParameters.actors())));
        boolean plain = instanceParameters.mix() == InstanceParameters.Mix.RANGE
                && instanceParameters.rf() == 1
                && !what.unequalWeights();
        if (plain && instanceParameters.actors() >= 256) {
            figures.add(BenchmarkMetric.atMost(name + "contention above its bound", score.gapMax(), NOTHING));
        }
        if (plain && instanceParameters.actors() == 64) {
            figures.add(BenchmarkMetric.atMost(name + "contention above its bound, mean", score.gapMean(), 0.02));
            figures.add(BenchmarkMetric.atMost(name + "moves of a later round", score.laterAdds(), drift ? 30 : 43));
        }
        if (plain && instanceParameters.actors() == 256) {
            figures.add(BenchmarkMetric.atMost(name + "moves of a later round", score.laterAdds(), drift ? 9 : 30));
        }
        if (plain && instanceParameters.actors() == 1_024) {
            figures.add(BenchmarkMetric.atMost(name + "moves of the first round", score.firstAdds(), 860));
            figures.add(BenchmarkMetric.atMost(name + "moves of a later round", score.laterAdds(), drift ? 30 : 112));
        }
        if (plain && instanceParameters.actors() >= 256 && score.firstOverBound() > 0) {
            figures.add(BenchmarkMetric.atMost(
                    name + "moves of first rounds over the least", score.firstOverBound(), 1.08));
            figures.add(BenchmarkMetric.atMost(
                    name + "moves of later rounds over the least", score.laterOverBound(), 1.35));
        }
        return figures;
    }

    static double seconds(int actors) {
        if (actors <= 300) {
            return 10;
        }
        return actors <= 1_024 ? 2 : actors <= 4_096 ? 15 : 40;
    }
}
