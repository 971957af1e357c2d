package io.uniserve.placement.text;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import java.util.Arrays;
import java.util.List;

/**
 * Placement problem over several rounds, each of which starts from the placement of the round before.
 *
 * @param servers number of servers, all alike
 * @param slots replicas that fit into a server's memory
 * @param rf minimum replicas per actor
 * @param initial placement before the first round
 * @param rounds at least one
 */
public record PlacementInstance(int servers, int slots, int rf, Assignment initial, List<Round> rounds) {
    /**
     * One round.
     *
     * @param loads by actor
     * @param sets the most popular shard sets
     */
    @SuppressWarnings("ArrayRecordComponent") // large, and never compared
    public record Round(double[] loads, List<ShardSet> sets) {}

    public int actors() {
        return initial.actors();
    }

    /** Returns the problem of a round that starts from this placement. */
    public ClusterLoad at(int round, Assignment current, double eps, int replication) {
        double[] capacity = new double[servers];
        Arrays.fill(capacity, slots);
        return new ClusterLoadBuilder(rounds.get(round).loads(), capacity)
                .sets(rounds.get(round).sets())
                .current(current)
                .eps(eps)
                .rf(replication)
                .build();
    }
}
