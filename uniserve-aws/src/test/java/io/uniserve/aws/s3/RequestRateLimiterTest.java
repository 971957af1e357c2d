package io.uniserve.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestRateLimiterTest {
    private static final long SECOND = 1_000_000_000L;

    private long now;
    private final RequestRateLimiter limiter = new RequestRateLimiter(() -> now);

    /** Sends as fast as the limiter permits until this time, at most one request per 5 ms. Returns the number of requests. */
    private int sendUntil(long end) {
        int sent = 0;
        while (now < end) {
            now += Math.max(limiter.reserve(), 5_000_000);
            sent++;
        }
        return sent;
    }

    @Test
    void withoutRejectionsThereIsNoLimit() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(limiter.reserve()).isZero();
        }
    }

    @Test
    void aRejectionHalvesTheRateAndSecondsRaiseIt() {
        assertThat(sendUntil(2 * SECOND)).isEqualTo(400);
        limiter.onRejected();
        assertThat(limiter.rate()).isBetween(90.0, 110.0);
        limiter.onRejected();
        assertThat(limiter.rate())
                .as("two rejections of one moment are one event")
                .isBetween(90.0, 110.0);
        int first = sendUntil(3 * SECOND);
        assertThat(first).isBetween(90, 115);
        assertThat(sendUntil(4 * SECOND)).isGreaterThan(first);
        limiter.onRejected();
        assertThat(limiter.rate()).isLessThan(70);
        sendUntil(60 * SECOND);
        assertThat(limiter.rate()).as("no limit above what was rejected").isInfinite();
    }

    @Test
    void theRateNeverBecomesZero() {
        for (int i = 0; i < 50; i++) {
            now += SECOND;
            limiter.reserve();
            limiter.onRejected();
        }
        assertThat(limiter.rate()).isGreaterThanOrEqualTo(1);
        assertThat(limiter.reserve()).isLessThanOrEqualTo(SECOND);
    }
}
