package io.uniserve.protocol.client.routing;

import io.uniserve.limit.Limits;

/**
 * Settings of the client's state machines for waits, retries and hedges. Times are in nanoseconds.
 *
 * @param hedgeMinNanos shortest delay before a hedge
 * @param hedgeColdNanos delay before a hedge while there are too few latency samples
 * @param hedgePermille hedges permitted per 1,000 requests; 0 turns hedging off, except for silent servers
 * @param silenceNanos time without any reply after which other servers are tried regardless of the hedge budget
 * @param backoffMinNanos first wait after every replica was tried; doubles up to {@code backoffMaxNanos}
 * @param avoidMinNanos first time for which a failed server is avoided; doubles up to {@code avoidMaxNanos}
 * @param rampNanos duration of the slow start after a server was avoided
 * @param updateAttemptNanos time without a reply after which an update is sent again with the same request id
 */
public record RequestSettings(
        long hedgeMinNanos,
        long hedgeColdNanos,
        int hedgePermille,
        long silenceNanos,
        long backoffMinNanos,
        long backoffMaxNanos,
        long avoidMinNanos,
        long avoidMaxNanos,
        long rampNanos,
        long updateAttemptNanos) {
    private static final long MS = 1_000_000L;

    /** The defaults of the manual. */
    public static RequestSettings defaults() {
        return new RequestSettings(
                5 * MS, 200 * MS, 100, 1_000 * MS, 10 * MS, 1_000 * MS, 200 * MS, 5_000 * MS, 2_000 * MS, 5_000 * MS);
    }

    /** The same with another hedge budget. */
    public RequestSettings withHedgePermille(int permille) {
        return new RequestSettings(
                hedgeMinNanos,
                hedgeColdNanos,
                permille,
                silenceNanos,
                backoffMinNanos,
                backoffMaxNanos,
                avoidMinNanos,
                avoidMaxNanos,
                rampNanos,
                updateAttemptNanos);
    }

    /** Wait number {@code round} (from 0). */
    public long backoffNanos(int round) {
        return Math.min(backoffMaxNanos, backoffMinNanos << Math.min(round, 20));
    }

    /**
     * Wait of a query's actor after this many attempts: exponential at first. Later the remaining time is divided among the remaining
     * attempts, so that the limit of attempts is not reached long before the deadline.
     */
    public long queryBackoffNanos(int round, int attempts, long remainingNanos) {
        long wait = backoffNanos(round);
        int left = Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX - attempts;
        return attempts * 2 < Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX ? wait : Math.max(wait, remainingNanos / (left + 1));
    }
}
