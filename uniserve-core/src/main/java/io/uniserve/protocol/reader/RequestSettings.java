package io.uniserve.protocol.reader;

import io.uniserve.limit.Limits;

/**
 * How the client's machines wait, retry and hedge. Times in nanoseconds.
 *
 * @param hedgeMinNanos a request is never hedged sooner
 * @param hedgeColdNanos hedging delay while too few latencies are known
 * @param hedgePermille hedges allowed per 1,000 requests; 0 turns hedging off but for silent servers
 * @param silenceNanos a server that has answered nothing for this long is passed over without regard to the hedge budget
 * @param backoffMinNanos first wait after every replica was tried; doubles up to {@code backoffMaxNanos}
 * @param avoidMinNanos first time a failed server is left alone; doubles up to {@code avoidMaxNanos}
 * @param rampNanos slow start: how long an avoided server's share grows back
 * @param updateAttemptNanos an update is sent again, with the same request id, after this long without an answer
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
    long backoffNanos(int round) {
        return Math.min(backoffMaxNanos, backoffMinNanos << Math.min(round, 20));
    }

    /**
     * Wait of a query's actor after this many attempts: exponential first; later what remains is shared out among the
     * attempts that remain, so that the bound on attempts is not reached long before the deadline.
     */
    long queryBackoffNanos(int round, int attempts, long remainingNanos) {
        long wait = backoffNanos(round);
        int left = Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX - attempts;
        return attempts * 2 < Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX ? wait : Math.max(wait, remainingNanos / (left + 1));
    }
}
