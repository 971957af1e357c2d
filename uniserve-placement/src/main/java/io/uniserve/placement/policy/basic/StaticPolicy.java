package io.uniserve.placement.policy.basic;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;

/** Policy without moves, independent of load. Actors without a host get one, and missing replicas are added, by count alone. */
public final class StaticPolicy implements BalancePolicy {
    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        return PlacementProposal.of(withMissingReplicas(in).current());
    }

    /** Returns the same cluster with the missing replicas added. */
    static ClusterLoad withMissingReplicas(ClusterLoad in) {
        PlacementBuilder placementBuilder = new PlacementBuilder(in);
        for (int i = 0; i < in.actors(); i++) {
            while (placementBuilder.replicas(i) < in.rf()) {
                int server = placementBuilder.bestServer(i, j -> -placementBuilder.memoryFraction(j));
                if (server < 0) {
                    break;
                }
                placementBuilder.add(i, server);
            }
        }
        Assignment after = placementBuilder.buildEven();
        return after.addedTo(in.current()) == 0
                ? in
                : in.toBuilder().current(after).build();
    }
}
