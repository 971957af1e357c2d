package io.uniserve.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MoveConcurrencyTest {
    private static final long SECOND = 1_000_000_000L;

    private final MoveConcurrency ramp = new MoveConcurrency(3, 10 * SECOND);

    @Test
    void oneMoreWithEachThatArrivesUpToTheMost() {
        assertThat(ramp.allowed(0)).isEqualTo(1);
        ramp.succeeded();
        assertThat(ramp.allowed(0)).isEqualTo(2);
        ramp.succeeded();
        ramp.succeeded();
        ramp.succeeded();
        assertThat(ramp.allowed(0)).isEqualTo(3);
        ramp.rest();
        assertThat(ramp.allowed(0)).isEqualTo(1);
    }

    @Test
    void aFailureMakesAPauseThatDoubles() {
        long now = -5 * SECOND;
        ramp.succeeded();
        ramp.failed(now);
        assertThat(ramp.allowed(now + 10 * SECOND - 1)).isZero();
        assertThat(ramp.paused(now + 10 * SECOND - 1)).isTrue();
        assertThat(ramp.allowed(now + 10 * SECOND)).isEqualTo(1);
        ramp.failed(now);
        assertThat(ramp.allowed(now + 20 * SECOND - 1)).isZero();
        assertThat(ramp.allowed(now + 20 * SECOND)).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            ramp.failed(now);
        }
        assertThat(ramp.allowed(now + 600 * SECOND - 1)).isZero();
        assertThat(ramp.allowed(now + 600 * SECOND)).isEqualTo(1);
        ramp.succeeded();
        assertThat(ramp.allowed(now)).isEqualTo(2);
        ramp.failed(now);
        assertThat(ramp.allowed(now + 10 * SECOND)).as("it restarts").isEqualTo(1);
    }

    @Test
    void aLongPeriodDoesNotOverflow() {
        MoveConcurrency slow = new MoveConcurrency(3, 86_400 * SECOND);
        for (int i = 0; i < 40; i++) {
            slow.failed(0);
            assertThat(slow.paused(86_400 * SECOND - 1)).isTrue();
            assertThat(slow.paused(86_400 * SECOND)).isFalse();
        }
    }
}
