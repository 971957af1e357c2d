package io.uniserve.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaunchAggregatorTest {
    private static final double GOAL = 1 / 1.3;

    @Test
    void theMeanOfTheRatiosIsTheRatioOfTheMeans() {
        BenchmarkMetric fast = BenchmarkMetric.lessIsBetter("row", 100, 100, GOAL);
        BenchmarkMetric slow = BenchmarkMetric.lessIsBetter("row", 320, 200, GOAL);
        BenchmarkMetric pooled =
                LaunchAggregator.pool(List.of(List.of(fast), List.of(slow))).get(0);
        assertThat(pooled.measured()).isCloseTo(Math.sqrt(100 * 320), within(1e-9));
        assertThat(pooled.peer()).isCloseTo(Math.sqrt(100 * 200), within(1e-9));
        assertThat(pooled.ratio()).isCloseTo(1 / Math.sqrt(1.6), within(1e-9));
        assertThat(pooled.met()).isTrue();
    }

    @Test
    void aGoalIsOfTheMean() {
        BenchmarkMetric met = BenchmarkMetric.lessIsBetter("row", 129, 100, GOAL);
        BenchmarkMetric missed = BenchmarkMetric.lessIsBetter("row", 140, 100, GOAL);
        List<List<BenchmarkMetric>> launches = List.of(List.of(met), List.of(missed));
        assertThat(LaunchAggregator.pool(launches).get(0).met()).isFalse();
        assertThat(LaunchAggregator.costs(launches).get(1)).contains("1.29 1.40, mean 1.344, goal 1.3: not met");
    }

    @Test
    void gainsAreAboveOneWhereOursIsBetter() {
        List<List<BenchmarkMetric>> launches = List.of(
                List.of(
                        BenchmarkMetric.moreIsBetter("queries/s", 110, 100, 1),
                        BenchmarkMetric.lessIsBetter("p50", 125, 100, 1)),
                List.of(
                        BenchmarkMetric.moreIsBetter("queries/s", 100, 100, 1),
                        BenchmarkMetric.lessIsBetter("p50", 100, 100, 1)));
        assertThat(LaunchAggregator.gains(launches).get(1)).contains("1.10 1.00, mean 1.049, goal 1.0: met");
        assertThat(LaunchAggregator.gains(launches).get(2)).contains("0.80 1.00, mean 0.894, goal 1.0: not met");
    }

    @Test
    void oneLaunchIsAsItIs() {
        BenchmarkMetric only = BenchmarkMetric.lessIsBetter("row", 3, 4, GOAL);
        BenchmarkMetric pooled = LaunchAggregator.pool(List.of(List.of(only))).get(0);
        assertThat(pooled.measured()).isCloseTo(3, within(1e-12));
        assertThat(pooled.met()).isTrue();
    }
}
