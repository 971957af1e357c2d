package io.uniserve.placement.policy.search;

import io.uniserve.placement.model.ClusterLoad;

/** Lower bounds of every balanced placement. */
public final class PlacementLowerBounds {
    private PlacementLowerBounds() {}

    /**
     * Returns the minimum contention per shard set: the needed replicas of its actors divided by the number of servers, rounded up; at
     * least 1, and 0 for an empty set.
     */
    public static int[] ofSets(ClusterLoad in) {
        int[] needed = needed(in);
        int[] bound = new int[in.sets().size()];
        for (int s = 0; s < bound.length; s++) {
            long sum = 0;
            for (int actor : in.sets().get(s).actors()) {
                sum += needed[actor];
            }
            int servers = Math.max(1, in.servers());
            bound[s] = sum == 0 ? 0 : (int) Math.max(1, (sum + servers - 1) / servers);
        }
        return bound;
    }

    /** Returns {@link ClusterLoad#replicasNeeded} of all actors. */
    public static int[] needed(ClusterLoad in) {
        double highest = 0;
        for (int j = 0; j < in.servers(); j++) {
            highest = Math.max(highest, in.loadMax(j));
        }
        int[] needed = new int[in.actors()];
        for (int i = 0; i < needed.length; i++) {
            needed[i] = in.replicasNeededAt(i, highest);
        }
        return needed;
    }

    /** Returns the sum over the sets of frequency times minimum contention. */
    public static double contention(ClusterLoad in) {
        int[] bound = ofSets(in);
        double sum = 0;
        for (int s = 0; s < bound.length; s++) {
            sum += in.sets().get(s).frequency() * bound[s];
        }
        return sum;
    }
}
