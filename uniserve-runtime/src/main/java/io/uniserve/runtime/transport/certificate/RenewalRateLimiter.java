package io.uniserve.runtime.transport.certificate;

import io.uniserve.protocol.env.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limit on renewals of users: one per certificate and minute, and a number of certificates per minute. So no caller fills the audit log or the queue
 * of the authority. Thread-safe.
 */
final class RenewalRateLimiter {
    static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    static final int CERTIFICATES_MAX = 4_096;

    private final Clock clock;
    /** Time of the last renewal by fingerprint, oldest first. */
    private final Map<String, Long> renewed = new LinkedHashMap<>();

    RenewalRateLimiter(Clock clock) {
        this.clock = clock;
    }

    /** True if the certificate with this fingerprint may be renewed now; then it counts. */
    synchronized boolean tryAcquire(String fingerprint) {
        long now = clock.nanos();
        renewed.values().removeIf(time -> now - time >= PAUSE_NANOS);
        if (renewed.size() >= CERTIFICATES_MAX || renewed.containsKey(fingerprint)) {
            return false;
        }
        renewed.put(fingerprint, now);
        return true;
    }
}
