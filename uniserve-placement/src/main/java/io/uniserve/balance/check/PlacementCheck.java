package io.uniserve.balance.check;

/**
 * Properties of a placement, computed from the problem and the placement alone.
 *
 * @param largest largest load of a server relative to its fair share
 * @param least least load of a server relative to its fair share
 * @param hottest largest load of an actor relative to the mean
 * @param outside load outside the tolerances, in units of the mean; 0 is balanced
 * @param overfull servers with more replicas than memory
 * @param lacking actors with fewer replicas than requested
 * @param shareError largest difference of the sum of an actor's shares from 1
 * @param contention sum over shard sets of frequency times the maximum number of its actors on one server
 * @param bound lower bound of the contention of a balanced placement
 * @param adds new replicas
 * @param drops removed replicas
 * @param replicas total number of replicas
 */
public record PlacementCheck(
        double largest,
        double least,
        double hottest,
        double outside,
        int overfull,
        int lacking,
        double shareError,
        double contention,
        double bound,
        int adds,
        int drops,
        int replicas) {
    private static final double SHARE_ERROR_MAX = 1e-6;

    /** True if every server's load is within its tolerance. */
    public boolean balanced(int servers) {
        return outside <= 1e-6 * servers;
    }

    /** True if the placement respects memory, replica counts and shares. */
    public boolean sound() {
        return overfull == 0 && lacking == 0 && shareError <= SHARE_ERROR_MAX;
    }

    /** Returns the contention above its bound, relative to the bound. */
    public double gap() {
        return bound > 0 ? contention / bound - 1 : 0;
    }
}
