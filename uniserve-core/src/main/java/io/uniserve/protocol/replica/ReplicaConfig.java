package io.uniserve.protocol.replica;

import io.uniserve.protocol.log.LogOptions;

/**
 * Settings of replicas. Durations in nanoseconds of the server's clock.
 *
 * @param clusterId the cluster, part of the keys in durable storage
 * @param leaseNanos read lease on a table
 * @param drift bound on how much faster or slower another clock runs, 0.01 for one in a hundred
 * @param replicateTimeoutNanos a replication request without answer is sent again
 * @param retryNanos pause before a failed step is tried again
 * @param engineTimeoutNanos an engine call that takes longer makes the replica unfit
 * @param learnerTimeoutNanos updates wait this long for a learner that is about to be certified
 * @param learnerLagMax updates a learner may lag when the primary begins to wait for it
 * @param checkpointEntries a checkpoint is written after so many entries
 * @param checkpointBytes or after so many bytes of rows
 * @param shippingNanos interval of log shipping to durable storage, 0 for none
 */
public record ReplicaConfig(
        String clusterId,
        LogOptions log,
        long leaseNanos,
        double drift,
        long replicateTimeoutNanos,
        long retryNanos,
        long engineTimeoutNanos,
        long learnerTimeoutNanos,
        long learnerLagMax,
        long checkpointEntries,
        long checkpointBytes,
        long shippingNanos) {
    private static final long MILLI = 1_000_000;

    /** The defaults of production. */
    public static ReplicaConfig defaults(String clusterId) {
        return new ReplicaConfig(
                clusterId,
                LogOptions.defaults(),
                2_000 * MILLI,
                0.01,
                5_000 * MILLI,
                100 * MILLI,
                60_000 * MILLI,
                2_000 * MILLI,
                1_000,
                20_000,
                64L << 20,
                1_000 * MILLI);
    }

    /** Longest time that the digest of a copy's contents may take. */
    public long digestTimeoutNanos() {
        return 10 * engineTimeoutNanos;
    }

    /** Time after which another server's lease, taken before now, has run out for certain. */
    public long fenceNanos() {
        return (long) Math.ceil(leaseNanos * (1 + drift) * (1 + drift));
    }
}
