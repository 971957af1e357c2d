package io.uniserve.placement.check;

/**
 * Properties of a placement, computed from the problem and the placement alone.
 *
 * @param largestLoad largest load of a server relative to its fair share
 * @param leastLoad least load of a server relative to its fair share
 * @param hottest largest load of an actor relative to the mean
 * @param outsideTolerance load outside the tolerances, in units of the mean; 0 is balanced
 * @param overfullServers servers with more replicas than memory
 * @param missingReplicas actors with fewer replicas than requested
 * @param shareError largest difference of the sum of an actor's shares from 1
 * @param contention sum over shard sets of frequency times the maximum number of its actors on one server
 * @param bound lower bound of the contention of a balanced placement
 * @param adds new replicas
 * @param drops removed replicas
 * @param replicas total number of replicas
 */
public record PlacementProperties(
        double largestLoad,
        double leastLoad,
        double hottest,
        double outsideTolerance,
        int overfullServers,
        int missingReplicas,
        double shareError,
        double contention,
        double bound,
        int adds,
        int drops,
        int replicas) {
    private static final double SHARE_ERROR_MAX = 1e-6;

    /** True if every server's load is within its tolerance. */
    public boolean isBalanced(int servers) {
        return outsideTolerance <= 1e-6 * servers;
    }

    /** True if the placement respects memory, replica counts and shares. */
    public boolean isValid() {
        return overfullServers == 0 && missingReplicas == 0 && shareError <= SHARE_ERROR_MAX;
    }

    /** Returns the contention above its bound, relative to the bound. */
    public double gap() {
        return bound > 0 ? contention / bound - 1 : 0;
    }
}
