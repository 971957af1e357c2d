package io.uniserve.protocol.transaction;

import io.uniserve.limit.Limits;

/**
 * Times of atomic updates, in nanoseconds of a server's own monotonic clock.
 *
 * @param timeoutNanos time after which any manager aborts a small update that is still undecided
 * @param absenceNanos time without a usable vote of a participant, after which the manager aborts the version and retries its updates
 *     later; also the shortest time for which updates of that participant then wait
 * @param rpcTimeoutNanos time-out of one request to a primary; after it the request is sent again
 * @param retryNanos pause before a retry
 * @param checkIntervalNanos interval of the background check for undecided versions and for decisions that a primary has not logged
 * @param inDoubtWaitNanos longest time for which a reader waits for a version in doubt
 * @param reservesVersions true if managers start the next version with each commit
 */
public record TransactionConfig(
        long timeoutNanos,
        long absenceNanos,
        long rpcTimeoutNanos,
        long retryNanos,
        long checkIntervalNanos,
        long inDoubtWaitNanos,
        boolean reservesVersions) {
    private static final long MILLI = 1_000_000;
    /** Lower bound for sending, syncing and applying rows: 5 MB/s. */
    private static final long NANOS_PER_BYTE = 200;

    /** Time to add to the time-outs of small updates for this number of bytes of rows. */
    public static long transferNanos(long bytes) {
        return bytes * NANOS_PER_BYTE;
    }

    /** Time after which an undecided update with this number of bytes of rows is aborted. */
    public long timeoutNanos(long bytes) {
        return timeoutNanos + transferNanos(Math.min(bytes, Limits.ATOMIC_UPDATE_BYTES_MAX));
    }

    /** Usual time until other servers have what a manager wrote. Readers wait for this long before they send a request for it. */
    public long propagationNanos() {
        return retryNanos / 10;
    }

    /**
     * Longest time after the first attempt to commit for which a manager claims "not visible" without knowing the outcome. Most ZooKeeper
     * writes take a tenth of it.
     */
    public long claimNanos() {
        return retryNanos * 2 / 5;
    }

    /**
     * Time for which a server withholds a commit that it finds in ZooKeeper and that no manager has published to it. It is longer than
     * {@link #claimNanos}, even if one clock runs a quarter faster than the other.
     */
    public long withholdNanos() {
        return claimNanos() * 5 / 4;
    }

    /** Grace time before another manager aborts the version of a manager that is not alive. */
    public long deadManagerGraceNanos() {
        return 4 * retryNanos;
    }

    /** Time after which a manager releases a version that it started ahead and has no update for. */
    public long reservationNanos() {
        return checkIntervalNanos;
    }

    /** Time for which no manager starts versions ahead after several of them wrote to the same table. */
    public long reservationPauseNanos() {
        return 10 * checkIntervalNanos;
    }

    /** The defaults of production. */
    public static TransactionConfig defaults() {
        return new TransactionConfig(
                10_000 * MILLI, 3_000 * MILLI, 1_000 * MILLI, 50 * MILLI, 500 * MILLI, 2_000 * MILLI, true);
    }
}
