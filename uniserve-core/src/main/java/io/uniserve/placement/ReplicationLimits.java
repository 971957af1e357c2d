package io.uniserve.placement;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * Bounds of automatic copies. Loads are in milliseconds of CPU per second.
 *
 * @param copiesMax maximum number of replicas of an actor that the policy requests, 0 or 1 for no automatic copies
 * @param growAbove an actor is hot if its load exceeds the due of its servers by this factor
 * @param shrinkBelow an actor is cold if its load is below the due of the remaining servers times this factor; less than {@code growAbove}
 * @param loadMin load below which no actor is hot
 * @param bytesMax maximum bytes that are copied at the same time; a larger actor gets no copy
 * @param horizonSeconds time over which the gain of a copy must exceed its cost
 * @param cost cost of a copy
 */
public record ReplicationLimits(
        int copiesMax,
        double growAbove,
        double shrinkBelow,
        double loadMin,
        long bytesMax,
        double horizonSeconds,
        CopyCost cost) {
    /**
     * Cost of a copy, in milliseconds of CPU.
     *
     * @param transferMillisPerSecond source and target together, per second of a transfer
     * @param copyMillis for a copy of any size: to open the engine, certify the replica, and publish the map
     * @param updateMillis per update on one more replica: CPU time and delay
     */
    public record CopyCost(double transferMillisPerSecond, double copyMillis, double updateMillis) {
        /** One CPU during the transfer, one second per copy, and one millisecond per update. */
        public static final CopyCost DEFAULT = new CopyCost(1_000, 1_000, 1);

        public CopyCost {
            if (!isCost(transferMillisPerSecond) || !isCost(copyMillis) || !isCost(updateMillis)) {
                throw UniserveException.invalid("cost of a copy: " + transferMillisPerSecond + " ms per second, "
                        + copyMillis + " ms per copy, " + updateMillis + " ms per update: use numbers of at least 0");
            }
        }

        private static boolean isCost(double value) {
            return value >= 0 && Double.isFinite(value);
        }
    }

    /** Bounds with the default cost of a copy. */
    public ReplicationLimits(
            int copiesMax, double growAbove, double shrinkBelow, double loadMin, long bytesMax, double horizonSeconds) {
        this(copiesMax, growAbove, shrinkBelow, loadMin, bytesMax, horizonSeconds, CopyCost.DEFAULT);
    }

    public ReplicationLimits {
        if (copiesMax < 0
                || copiesMax > Limits.REPLICATION_FACTOR_MAX
                || !(shrinkBelow > 0)
                || !(growAbove > shrinkBelow)
                || !Double.isFinite(growAbove)
                || !(loadMin > 0)
                || bytesMax < 1
                || !(horizonSeconds > 0)) {
            throw UniserveException.invalid("copies-max " + copiesMax + ", grow-above " + growAbove + ", shrink-below "
                    + shrinkBelow + ", load-min " + loadMin + ", bytes-max " + bytesMax + ", horizon " + horizonSeconds
                    + ": use 0 to " + Limits.REPLICATION_FACTOR_MAX
                    + " copies, a grow-above larger than shrink-below, and numbers above 0");
        }
    }

    /** The defaults of a coordinator. */
    public static ReplicationLimits defaults() {
        return new ReplicationLimits(4, 1.0, 0.5, 100, 64L << 30, 600);
    }
}
