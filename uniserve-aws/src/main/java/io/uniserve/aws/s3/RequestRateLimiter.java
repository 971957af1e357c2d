package io.uniserve.aws.s3;

import java.util.function.LongSupplier;

/**
 * Rate of requests to a store, shared by all threads of the process: additive increase, multiplicative decrease. Without rejections it
 * limits nothing. After the store has asked for fewer requests the rate is half of what was sent, and then grows by a fixed step per second.
 * It is unlimited again above the highest rate seen. Thread-safe.
 */
final class RequestRateLimiter {
    private static final double RATE_MIN = 1;
    private static final double STEP_PER_SECOND = 5;
    private static final long NANOS = 1_000_000_000L;
    /** Rejections within this time are one event: they answer requests of the same rate. */
    private static final long EVENT_NANOS = NANOS / 2;

    private final LongSupplier nanos;
    private double rate = Double.POSITIVE_INFINITY;
    private double highest;
    private long next;
    private long changed;
    private long lastRejection;
    private boolean everRejected;
    private long second;
    private int inSecond;
    private double lastRate;

    RequestRateLimiter(LongSupplier nanos) {
        this.nanos = nanos;
        this.next = nanos.getAsLong();
        this.changed = next;
        this.second = next;
    }

    /** Reserves the next request. Returns the nanoseconds to wait before it. */
    synchronized long reserve() {
        long now = nanos.getAsLong();
        count(now);
        if (rate == Double.POSITIVE_INFINITY) {
            return 0;
        }
        rate += STEP_PER_SECOND * (now - changed) / NANOS;
        changed = now;
        if (rate > highest) {
            rate = Double.POSITIVE_INFINITY;
            return 0;
        }
        next = Math.max(next, now);
        long wait = next - now;
        next += (long) (NANOS / rate);
        return wait;
    }

    /** Notes that the store asked for fewer requests. */
    synchronized void onRejected() {
        long now = nanos.getAsLong();
        if (everRejected && now - lastRejection < EVENT_NANOS) {
            return;
        }
        everRejected = true;
        lastRejection = now;
        double sent = Math.max(RATE_MIN, Math.max(inSecond, lastRate));
        highest = Math.max(RATE_MIN + STEP_PER_SECOND, Math.min(sent, rate));
        rate = Math.max(RATE_MIN, Math.min(sent, rate) / 2);
        changed = now;
        next = now;
    }

    private void count(long now) {
        if (now - second >= NANOS) {
            lastRate = now - second < 2 * NANOS ? inSecond : 0;
            inSecond = 0;
            second = now;
        }
        inSecond++;
    }

    /** Requests per second that are permitted now; infinite without a limit. */
    synchronized double rate() {
        return rate;
    }
}
