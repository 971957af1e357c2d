package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;

/**
 * Times of atomic updates, in nanoseconds of a server's own clock.
 *
 * @param timeoutNanos a small update that is not decided after this long is aborted, by its driver or by anybody
 * @param absenceNanos an update is given up for now when one of its primaries has not answered, or not as it should, for this
 *     long; and the shortest time that updates which need it wait then
 * @param rpcTimeoutNanos time-out of requests to primaries, after which they are asked again
 * @param retryNanos pause before something is tried again
 * @param lookNanos interval at which servers look for what was left undone
 * @param settleNanos longest that a reader waits for an update in doubt
 * @param beginsAhead true where drivers begin the next version with each commit
 */
public record TransactionConfig(
        long timeoutNanos,
        long absenceNanos,
        long rpcTimeoutNanos,
        long retryNanos,
        long lookNanos,
        long settleNanos,
        boolean beginsAhead) {
    private static final long MILLI = 1_000_000;
    /** Rows are sent, synced and applied at 5 MB/s at least. */
    private static final long NANOS_PER_BYTE = 200;

    /** What so many bytes of rows take beside the time-outs, which are those of small updates. */
    static long nanosFor(long bytes) {
        return bytes * NANOS_PER_BYTE;
    }

    /** An update with so many bytes of rows that is not decided after this long is aborted. */
    long timeoutNanos(long bytes) {
        return timeoutNanos + nanosFor(Math.min(bytes, Limits.ATOMIC_UPDATE_BYTES_MAX));
    }

    /** What a driver has written is told to others within this time, as a rule; readers wait as long before they ask. */
    public long tellNanos() {
        return retryNanos / 10;
    }

    /**
     * For so long after it has sent a commit a driver says that nobody knows of it, where it does not know the outcome itself: most
     * writes of the registry take a tenth of that.
     */
    long denyNanos() {
        return retryNanos * 2 / 5;
    }

    /**
     * For so long a commit that was found in the registry is kept to oneself, where nobody told it: longer than its driver may deny
     * it, with clocks that go up to a quarter apart.
     */
    public long withholdNanos() {
        return denyNanos() * 5 / 4;
    }

    /** An update whose driver is not live is let be for so long. */
    long goneNanos() {
        return 4 * retryNanos;
    }

    /** What a driver has begun ahead, and has no update for within this time, it gives back. */
    long aheadNanos() {
        return lookNanos;
    }

    /** Where several drivers write to a table none of them begins ahead for so long. */
    long restNanos() {
        return 10 * lookNanos;
    }

    /** The defaults of production. */
    public static TransactionConfig defaults() {
        return new TransactionConfig(
                10_000 * MILLI, 3_000 * MILLI, 1_000 * MILLI, 50 * MILLI, 500 * MILLI, 2_000 * MILLI, true);
    }
}
