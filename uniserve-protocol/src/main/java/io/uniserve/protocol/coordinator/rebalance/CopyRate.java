package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.placement.ReplicationPolicy.CopyTraffic;

/**
 * Measured rate at which replicas are copied, from the start of a copy until it is in sync. A new measurement has a weight of one quarter.
 * Before the first one a low rate is assumed, so that copies are rather omitted.
 */
final class CopyRate {
    /** Assumed rate without any measurement. */
    static final double ASSUMED_BYTES_PER_SECOND = CopyTraffic.UNMEASURED.bytesPerSecond();

    /** Smaller replicas measure the delays of the protocol, not the rate. */
    static final long BYTES_MIN = 4 << 20;

    private static final double NEW_WEIGHT = 0.25;
    private static final double RATE_MIN = 1e3;

    private double rate = ASSUMED_BYTES_PER_SECOND;
    private int samples;

    /** Adds a completed copy. */
    void add(long bytes, long nanos) {
        if (bytes < BYTES_MIN || nanos <= 0) {
            return;
        }
        double seen = Math.max(RATE_MIN, bytes * 1e9 / nanos);
        rate = samples == 0 ? seen : rate + NEW_WEIGHT * (seen - rate);
        samples++;
    }

    /** Bytes per second. */
    double bytesPerSecond() {
        return rate;
    }

    /** Number of measurements. */
    int samples() {
        return samples;
    }
}
