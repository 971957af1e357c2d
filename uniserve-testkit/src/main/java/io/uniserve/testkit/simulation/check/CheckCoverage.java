package io.uniserve.testkit.simulation.check;

/**
 * Coverage of the checks that read the state of servers directly.
 *
 * @param digests pairs of replicas with compared contents
 * @param disks disks of replicas that were checked at commits of versions
 * @param doubtNanos the longest time in doubt with nothing that prevents the resolution, in nanoseconds
 */
public record CheckCoverage(long digests, long disks, long doubtNanos) {
    /** Coverage of no run. */
    public static final CheckCoverage NONE = new CheckCoverage(0, 0, 0);

    /** The coverage of both. */
    public CheckCoverage and(CheckCoverage other) {
        return new CheckCoverage(digests + other.digests, disks + other.disks, Math.max(doubtNanos, other.doubtNanos));
    }
}
