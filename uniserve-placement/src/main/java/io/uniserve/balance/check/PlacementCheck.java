package io.uniserve.balance.check;

/**
 * What a placement is like, computed from the problem and the placement alone.
 *
 * @param largest largest load of a server relative to its due
 * @param least least load of a server relative to its due
 * @param hottest largest load of an actor relative to the mean
 * @param outside load outside the tolerances, in units of the mean; 0 is balanced
 * @param overfull servers with more replicas than memory
 * @param lacking actors with fewer replicas than asked for
 * @param shareError largest distance of the sum of an actor's shares from 1
 * @param contention sum over shard sets of frequency times the most actors on one server
 * @param bound what the contention of a balanced placement is at least
 * @param adds replicas that were not there before
 * @param drops replicas that are no longer there
 * @param replicas replicas in all
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

    /** Every server's load is within its tolerance. */
    public boolean balanced(int servers) {
        return outside <= 1e-6 * servers;
    }

    /** Memory, replicas and shares are as they must be. */
    public boolean sound() {
        return overfull == 0 && lacking == 0 && shareError <= SHARE_ERROR_MAX;
    }

    /** Contention above its bound, relative to the bound. */
    public double gap() {
        return bound > 0 ? contention / bound - 1 : 0;
    }
}
