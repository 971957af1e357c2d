package io.uniserve.benchmark.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HotPartChooserTest {
    private static final int QUERIES = 100_000;

    @ParameterizedTest
    @CsvSource({"8, 0", "8, 5", "8, 7", "84, 40", "2, 1"})
    void theHotPartHasItsShareAndTheOthersTheRest(int parts, int hot) {
        HotPartChooser chooser = new HotPartChooser(parts, hot, 0.875);
        int[] counts = new int[parts];
        for (int n = 0; n < QUERIES; n++) {
            counts[chooser.choose(n)]++;
        }
        assertThat(counts[hot] / (double) QUERIES).isEqualTo(0.875, within(0.01));
        double each = 0.125 / (parts - 1);
        for (int part = 0; part < parts; part++) {
            if (part != hot) {
                assertThat(counts[part] / (double) QUERIES).as("part " + part).isEqualTo(each, within(each / 2));
            }
        }
    }

    @Test
    void theNthQueryAsksTheSamePartAgain() {
        HotPartChooser chooser = new HotPartChooser(8, 3, 0.5);
        for (int n = 0; n < 1_000; n++) {
            assertThat(new HotPartChooser(8, 3, 0.5).choose(n)).isEqualTo(chooser.choose(n));
        }
    }

    @Test
    void allOrNoneOfTheQueriesAskTheHotPart() {
        for (int n = 0; n < 1_000; n++) {
            assertThat(new HotPartChooser(8, 3, 1).choose(n)).isEqualTo(3);
            assertThat(new HotPartChooser(8, 3, 0).choose(n)).isNotEqualTo(3).isBetween(0, 7);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0.5", "8, 8, 0.5", "8, -1, 0.5", "8, 0, 1.1", "8, 0, -0.1", "8, 0, NaN"})
    void impossiblePartsAndSharesAreRejected(int parts, int hot, double share) {
        assertThatThrownBy(() -> new HotPartChooser(parts, hot, share)).isInstanceOf(IllegalArgumentException.class);
    }
}
