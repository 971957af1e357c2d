package io.uniserve.testkit.seed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Seeded tests that {@link SeededTestTest} runs by JUnit's test kit. The build does not run them directly. */
class SeedSample {
    static final List<Long> SEEN = new ArrayList<>();

    @SeededTest(seeds = 4)
    void many(@Seed long seed) {
        SEEN.add(seed);
    }

    @SeededTest(seeds = 3)
    void failing(@Seed long seed) {
        assertThat(seed).isNegative();
    }

    @Test
    @Seeded
    void one(@Seed long seed, @Seed Random random) {
        assertThat(random.nextLong()).isEqualTo(new Random(seed).nextLong());
    }
}
