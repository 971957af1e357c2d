package io.uniserve.benchmark.scaling;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.scaling.ScalingBench.Sample;
import io.uniserve.benchmark.scaling.ScalingBench.Settings;
import io.uniserve.benchmark.scaling.TargetRateReader.Slice;
import java.util.List;

/** Figures of one run of {@code bench scaling}. Stateless. */
final class ScalingFigures {
    private static final double LOWER = 0.3;
    private static final double UPPER = 0.7;
    private static final double FOLLOWS = 0.95;
    private static final double SPIKE_MILLIS = 1_000;

    private ScalingFigures() {}

    static List<BenchmarkMetric> of(List<Slice> slices, List<Sample> samples, Settings settings) {
        int failed = slices.stream().mapToInt(Slice::failed).sum();
        int wrong = slices.stream().mapToInt(Slice::wrong).sum();
        double worst = slices.stream()
                .mapToDouble(slice -> slice.millis(1))
                .filter(millis -> !Double.isNaN(millis))
                .max()
                .orElse(0);
        int most = samples.stream().mapToInt(Sample::servers).max().orElse(0);
        return List.of(
                BenchmarkMetric.atLeast("seconds with the target's throughput", followed(slices, settings), 0.99),
                BenchmarkMetric.atLeast(
                        "steady seconds with CPU of 30 to 70 %", steadyInside(samples, settings), FOLLOWS),
                BenchmarkMetric.atLeast("largest number of servers", most, Math.min(3, settings.servers())),
                BenchmarkMetric.atMost("longest latency, ms", worst, SPIKE_MILLIS),
                BenchmarkMetric.atMost("failed", failed, 0),
                BenchmarkMetric.atMost("wrong", wrong, 0),
                BenchmarkMetric.atLeast(
                        "smallest number of replicas of an actor",
                        samples.stream().mapToInt(Sample::replicasLeast).min().orElse(0),
                        1),
                BenchmarkMetric.atMost("server seconds over those of the largest cluster", cost(samples, most), 0.75));
    }

    /** Part of the seconds in which at least 95 % of the intended operations ended within a second without an error. */
    static double followed(List<Slice> slices, Settings settings) {
        int good = 0;
        int all = 0;
        for (int second = 1; second < settings.profile().seconds() - 1; second++) {
            Slice slice = slices.get(second);
            all++;
            double target = settings.profile().rate(second);
            boolean enough = slice.count() - slice.failed() >= FOLLOWS * target - 2;
            good += enough && slice.millis(FOLLOWS) < SPIKE_MILLIS ? 1 : 0;
        }
        return all == 0 ? 0 : (double) good / all;
    }

    /**
     * Part of the samples with CPU between the limits, of those in which the number of servers has been the same for two periods, and could
     * change in the necessary direction.
     */
    static double steadyInside(List<Sample> samples, Settings settings) {
        int inside = 0;
        int steady = 0;
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            if (!isSteady(samples, i, 2 * settings.periodSeconds()) || Double.isNaN(sample.cpu())) {
                continue;
            }
            boolean smallest = sample.servers() == 1 && sample.cpu() < LOWER;
            boolean largest = sample.servers() == settings.servers() && sample.cpu() > UPPER;
            if (!smallest && !largest) {
                steady++;
                inside += sample.cpu() >= LOWER && sample.cpu() <= UPPER ? 1 : 0;
            }
        }
        return steady == 0 ? 0 : (double) inside / steady;
    }

    private static boolean isSteady(List<Sample> samples, int at, double seconds) {
        Sample last = samples.get(at);
        for (int i = at; i >= 0 && last.second() - samples.get(i).second() <= seconds; i--) {
            if (samples.get(i).servers() != last.servers() || samples.get(i).launching() > 0) {
                return false;
            }
        }
        return last.second() >= seconds;
    }

    private static double cost(List<Sample> samples, int most) {
        return samples.isEmpty()
                ? 0
                : samples.stream().mapToInt(Sample::servers).sum() / (double) (samples.size() * Math.max(1, most));
    }
}
