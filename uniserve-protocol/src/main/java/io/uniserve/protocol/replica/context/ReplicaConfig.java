package io.uniserve.protocol.replica.context;

import io.uniserve.protocol.log.LogOptions;

/**
 * Settings of replicas. Durations are in nanoseconds of the server's clock.
 *
 * @param clusterId name of the cluster, part of the keys in durable storage
 * @param leaseNanos length of a read lease
 * @param drift maximum relative difference of clock rates, 0.01 for one percent
 * @param replicateTimeoutNanos time after which a replication request without reply is repeated
 * @param retryNanos pause before a failed step is retried
 * @param engineTimeoutNanos time after which an engine call makes the replica unhealthy
 * @param learnerTimeoutNanos maximum time that updates wait for a learner that is about to be certified
 * @param learnerLagMax maximum lag, in entries, at which the primary starts to wait for a learner
 * @param checkpointEntries entries after which a checkpoint is written
 * @param checkpointBytes bytes of rows after which a checkpoint is written
 * @param shippingNanos interval of log shipping to durable storage, 0 without durable storage
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

    /** The defaults for production. */
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

    /** Time-out of the digest of a copy's contents. */
    public long digestTimeoutNanos() {
        return 10 * engineTimeoutNanos;
    }

    /** Time after which another server's lease, granted before now, has certainly ended. */
    public long fenceNanos() {
        return (long) Math.ceil(leaseNanos * (1 + drift) * (1 + drift));
    }
}
