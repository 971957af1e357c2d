package io.uniserve.runtime.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaledWallClockTest {
    @Test
    void runsFasterFromItsOriginOn() {
        ScaledWallClock clock = new ScaledWallClock(1_000_000, 150);
        assertThat(clock.millisAt(999_000)).isEqualTo(999_000);
        assertThat(clock.millisAt(1_000_000)).isEqualTo(1_000_000);
        assertThat(clock.millisAt(1_004_000)).isEqualTo(1_600_000);
        assertThat(ScaledWallClock.parse(clock.text())).isEqualTo(clock);
    }

    @Test
    void withoutAPropertyItIsTheMachinesClock() {
        assertThat(ScaledWallClock.parse("").millisAt(123_456)).isEqualTo(123_456);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1,2,3", "a,2", "1,0.5", "-1,2", "1,NaN", "1,1e7"})
    void wrongValuesAreRefused(String text) {
        assertThatThrownBy(() -> ScaledWallClock.parse(text)).isInstanceOf(UniserveException.class);
    }
}
