package io.uniserve.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyedCounterTest {
    private final KeyedCounter counter = new KeyedCounter();

    @Test
    void keysAreCountedApartAndForgottenAtZero() {
        assertThat(counter.add("a", 2)).isEqualTo(2);
        assertThat(counter.add("a", 3)).isEqualTo(5);
        assertThat(counter.add("b", 1)).isEqualTo(1);
        counter.subtract("a", 4);
        assertThat(counter.get("a")).isEqualTo(1);
        counter.subtract("a", 1);
        counter.subtract("b", 1);
        counter.subtract("c", 1);
        assertThat(counter.get("a")).isZero();
        assertThat(counter.get("c")).isZero();
        assertThat(counter.size()).isZero();
    }

    @Test
    void keysThatAreForgottenMeanwhileLoseNothing() {
        IntStream.range(0, 200_000).parallel().forEach(i -> {
            String other = "key-" + i % 3;
            counter.add(other, 1);
            counter.add("a", 2);
            counter.subtract("a", 2);
            counter.subtract(other, 1);
            if (i % 100 == 0) {
                counter.add("b", 1);
            }
        });
        assertThat(counter.get("a")).isZero();
        assertThat(counter.get("b")).isEqualTo(2_000);
        assertThat(counter.size()).as("only b is left").isEqualTo(1);
    }

    @Test
    void manyThreadsLoseNothing() {
        IntStream.range(0, 100_000).parallel().forEach(i -> {
            counter.add("a", 3);
            counter.subtract("a", 2);
        });
        assertThat(counter.get("a")).isEqualTo(100_000);
    }
}
