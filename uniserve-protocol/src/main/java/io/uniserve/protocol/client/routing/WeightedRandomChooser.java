package io.uniserve.protocol.client.routing;

import io.uniserve.protocol.client.routing.RoutingPolicy.Candidate;
import java.util.List;

/** Random choice in proportion to weights. */
public final class WeightedRandomChooser {
    private WeightedRandomChooser() {}

    static int pick(List<Candidate> candidates, long random) {
        double total = 0;
        for (Candidate candidate : candidates) {
            total += candidate.weight();
        }
        double mark = (random >>> 11) * 0x1.0p-53 * total;
        for (int i = 0; i < candidates.size() - 1; i++) {
            mark -= candidates.get(i).weight();
            if (mark < 0) {
                return i;
            }
        }
        return candidates.size() - 1;
    }

    /**
     * The candidate that a client with this number always picks for an actor, by rendezvous hashing. Over many clients, shares are in
     * proportion to the weights. If a candidate appears or disappears, only choices of that candidate change.
     */
    static int pickStable(List<Candidate> candidates, long copies, int actor) {
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < candidates.size(); i++) {
            long hash =
                    mix(mix(copies + actor) ^ candidates.get(i).server().value().hashCode());
            double distance = -Math.log(((hash >>> 11) + 0.5) * 0x1.0p-53)
                    / candidates.get(i).weight();
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    /** Mixing function of SplitMix64: returns the next number of a pseudo-random sequence. */
    public static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
