package io.uniserve.balance.policy.basic;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.Proposal;
import io.uniserve.balance.policy.SearchBudget;

/** Policy without moves, independent of load. Actors without a host get one, and missing replicas are added, by count alone. */
public final class StaticPolicy implements BalancePolicy {
    @Override
    public Proposal place(ClusterLoad in, SearchBudget searchBudget) {
        return Proposal.of(complete(in).current());
    }

    /** Returns the same cluster with the missing replicas added. */
    static ClusterLoad complete(ClusterLoad in) {
        PlacementBuilder placementBuilder = new PlacementBuilder(in);
        for (int i = 0; i < in.actors(); i++) {
            while (placementBuilder.replicas(i) < in.rf()) {
                int server = placementBuilder.best(i, j -> -placementBuilder.fill(j));
                if (server < 0) {
                    break;
                }
                placementBuilder.add(i, server);
            }
        }
        Assignment after = placementBuilder.evenly();
        return after.addedTo(in.current()) == 0
                ? in
                : in.toBuilder().current(after).build();
    }
}
