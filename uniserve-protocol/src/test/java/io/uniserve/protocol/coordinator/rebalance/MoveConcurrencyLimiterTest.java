package io.uniserve.protocol.coordinator.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MoveConcurrencyLimiterTest {
    private static final long SECOND = 1_000_000_000L;

    private final MoveConcurrencyLimiter ramp = new MoveConcurrencyLimiter(3, 10 * SECOND);

    @Test
    void oneMoreWithEachThatArrivesUpToTheMost() {
        assertThat(ramp.limit(0)).isEqualTo(1);
        ramp.onSuccess();
        assertThat(ramp.limit(0)).isEqualTo(2);
        ramp.onSuccess();
        ramp.onSuccess();
        ramp.onSuccess();
        assertThat(ramp.limit(0)).isEqualTo(3);
        ramp.reset();
        assertThat(ramp.limit(0)).isEqualTo(1);
    }

    @Test
    void aFailureMakesAPauseThatDoubles() {
        long now = -5 * SECOND;
        ramp.onSuccess();
        ramp.onFailure(now);
        assertThat(ramp.limit(now + 10 * SECOND - 1)).isZero();
        assertThat(ramp.isPaused(now + 10 * SECOND - 1)).isTrue();
        assertThat(ramp.limit(now + 10 * SECOND)).isEqualTo(1);
        ramp.onFailure(now);
        assertThat(ramp.limit(now + 20 * SECOND - 1)).isZero();
        assertThat(ramp.limit(now + 20 * SECOND)).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            ramp.onFailure(now);
        }
        assertThat(ramp.limit(now + 600 * SECOND - 1)).isZero();
        assertThat(ramp.limit(now + 600 * SECOND)).isEqualTo(1);
        ramp.onSuccess();
        assertThat(ramp.limit(now)).isEqualTo(2);
        ramp.onFailure(now);
        assertThat(ramp.limit(now + 10 * SECOND)).as("it restarts").isEqualTo(1);
    }

    @Test
    void aLongPeriodDoesNotOverflow() {
        MoveConcurrencyLimiter slow = new MoveConcurrencyLimiter(3, 86_400 * SECOND);
        for (int i = 0; i < 40; i++) {
            slow.onFailure(0);
            assertThat(slow.isPaused(86_400 * SECOND - 1)).isTrue();
            assertThat(slow.isPaused(86_400 * SECOND)).isFalse();
        }
    }
}
