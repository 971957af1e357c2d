package io.uniserve.runtime.transport.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Limit on renewals, by a clock that wraps around. */
class RenewalRateLimiterTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(30));
    private final RenewalRateLimiter limiter = new RenewalRateLimiter(nanos::get);

    @Test
    void aCertificateIsRenewedOncePerMinute() {
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        assertThat(limiter.tryAcquire("b")).isTrue();
        nanos.addAndGet(RenewalRateLimiter.PAUSE_NANOS - 1);
        assertThat(limiter.tryAcquire("a")).isFalse();
        nanos.incrementAndGet();
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
    }

    @Test
    void renewalsOfAllCertificatesAreBounded() {
        for (int i = 0; i < RenewalRateLimiter.CERTIFICATES_MAX; i++) {
            assertThat(limiter.tryAcquire("c" + i)).isTrue();
        }
        assertThat(limiter.tryAcquire("one more")).isFalse();
        nanos.addAndGet(RenewalRateLimiter.PAUSE_NANOS);
        assertThat(limiter.tryAcquire("one more")).isTrue();
    }
}
