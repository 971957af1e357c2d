package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.limit.Limits;

/**
 * Limit on concurrent moves. It starts at one, and grows by one with each successful move, up to the maximum. A failed move resets it to
 * one, after a pause that doubles with each consecutive failure.
 */
final class MoveConcurrencyLimiter {
    private static final int DOUBLINGS_MAX = 16;

    private final int movesMax;
    private final long pauseNanos;
    private int allowed = 1;
    private int failures;
    private long pausedUntil;

    MoveConcurrencyLimiter(int movesMax, long pauseNanos) {
        this.movesMax = movesMax;
        this.pauseNanos = pauseNanos;
    }

    int limit(long now) {
        return isPaused(now) ? 0 : allowed;
    }

    boolean isPaused(long now) {
        return failures > 0 && now - pausedUntil < 0;
    }

    void onSuccess() {
        failures = 0;
        allowed = Math.min(movesMax, allowed + 1);
    }

    /** Resets the limit to one, when the load is balanced. */
    void reset() {
        allowed = 1;
    }

    void onFailure(long now) {
        long most = Math.max(pauseNanos, 1_000_000 * Limits.REBALANCE_PAUSE_MS_MAX);
        long pause = Math.min(most, pauseNanos << Math.min(failures, DOUBLINGS_MAX));
        failures++;
        allowed = 1;
        pausedUntil = now + pause;
    }
}
