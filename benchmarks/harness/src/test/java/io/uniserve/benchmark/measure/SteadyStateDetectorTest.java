package io.uniserve.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Detection of the steady state of a benchmark's sides. */
class SteadyStateDetectorTest {
    @Test
    void aSideThatStillFallsIsNotSteadyThoughTheOtherIs() {
        SteadyStateDetector state = new SteadyStateDetector(2);
        double peer = 10;
        for (int turn = 0; turn < 10; turn++) {
            assertThat(state.addTurn(5, peer)).isFalse();
            peer *= 0.96;
        }
    }

    @Test
    void isSteadyAfterThreeTurnsInWhichNothingFell() {
        SteadyStateDetector state = new SteadyStateDetector(2);
        assertThat(state.addTurn(5, 10))
                .as("the first turn has nothing to compare with")
                .isFalse();
        assertThat(state.addTurn(5.2, 9.8)).as("2 % is no fall").isFalse();
        assertThat(state.addTurn(4.9, 10.5)).isFalse();
        assertThat(state.addTurn(5, 9.9)).isTrue();
    }

    @Test
    void aFallBeginsTheCountAgain() {
        SteadyStateDetector state = new SteadyStateDetector(1);
        state.addTurn(5);
        state.addTurn(5);
        state.addTurn(5);
        assertThat(state.addTurn(4)).isFalse();
        assertThat(state.addTurn(4)).isFalse();
        assertThat(state.addTurn(4)).isFalse();
        assertThat(state.addTurn(4)).isTrue();
    }
}
