package io.uniserve.simulator.check;

/**
 * Coverage of the checks that read the state of servers directly.
 *
 * @param digests pairs of replicas with compared contents
 * @param disks disks of replicas that were checked at commits of versions
 * @param inDoubtNanosMax the longest time in doubt with nothing that prevents the resolution, in nanoseconds
 */
public record CheckCoverage(long digests, long disks, long inDoubtNanosMax) {
    /** Coverage without any run. */
    public static final CheckCoverage NONE = new CheckCoverage(0, 0, 0);

    /** The sum of both coverages. */
    public CheckCoverage plus(CheckCoverage other) {
        return new CheckCoverage(
                digests + other.digests, disks + other.disks, Math.max(inDoubtNanosMax, other.inDoubtNanosMax));
    }
}
