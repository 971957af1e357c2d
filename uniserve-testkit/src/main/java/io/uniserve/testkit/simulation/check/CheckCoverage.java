package io.uniserve.testkit.simulation.check;

/**
 * How much the checks that look inside have seen.
 *
 * @param digests pairs of replicas whose contents were compared
 * @param disks replicas' disks that were looked at when a version was committed
 * @param doubtNanos the longest that anything was seen in doubt with nothing in the way
 */
public record CheckCoverage(long digests, long disks, long doubtNanos) {
    /** Nothing yet. */
    public static final CheckCoverage NONE = new CheckCoverage(0, 0, 0);

    /** Of both. */
    public CheckCoverage and(CheckCoverage other) {
        return new CheckCoverage(digests + other.digests, disks + other.disks, Math.max(doubtNanos, other.doubtNanos));
    }
}
