package io.uniserve.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpaceSavingSketchTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void countsAreWithinTheirBoundsAndNoFrequentKeyIsMissed(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SpaceSavingSketch<Integer> sketch = new SpaceSavingSketch<>(100);
        double[] truth = new double[5_000];
        for (int n = 0; n < 50_000; n++) {
            int key = (int) (Math.pow(truth.length, random.nextDouble()) - 1);
            double weight = 1 + random.nextInt(3);
            truth[key] += weight;
            sketch.add(key, weight);
        }
        double bound = sketch.total() / 100;
        var top = sketch.top(100);
        assertThat(top).hasSize(100).allSatisfy(entry -> {
            assertThat(entry.error()).isLessThanOrEqualTo(bound);
            assertThat(entry.count()).isGreaterThanOrEqualTo(truth[entry.key()]);
            assertThat(entry.count() - entry.error()).isLessThanOrEqualTo(truth[entry.key()]);
        });
        var keys = top.stream().map(SpaceSavingSketch.Entry::key).collect(Collectors.toSet());
        for (int key = 0; key < truth.length; key++) {
            assertThat(truth[key] > bound && !keys.contains(key))
                    .as("key %d is missed", key)
                    .isFalse();
        }
    }
}
