package io.uniserve.placement.policy.basic;

import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Policy as in Getafix: replicas by access count. The number of an actor's replicas is its load divided by a server's fair share, rounded
 * up. The hottest actors come first. Each replica goes to the server of least load, and excess replicas are removed from the server of most
 * load.
 */
public final class GetafixPolicy implements BalancePolicy {
    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        PlacementBuilder placementBuilder = new PlacementBuilder(StaticPolicy.withMissingReplicas(in));
        Integer[] order = new Integer[in.actors()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> -in.load(i)));
        for (int i : order) {
            while (placementBuilder.replicas(i) > replicasWanted(in, i)) {
                int from = placementBuilder.hosts(i).stream()
                        .max(Comparator.comparingDouble(placementBuilder::relativeLoad))
                        .orElseThrow();
                placementBuilder.drop(i, from);
            }
        }
        for (int i : order) {
            while (placementBuilder.replicas(i) < replicasWanted(in, i)) {
                int to = placementBuilder.bestServer(i, j -> -placementBuilder.relativeLoad(j));
                if (to < 0) {
                    break;
                }
                placementBuilder.add(i, to);
            }
        }
        return PlacementProposal.of(placementBuilder.buildEven());
    }

    private static int replicasWanted(ClusterLoad in, int actor) {
        double due = in.mean() > 0 ? Math.ceil(in.load(actor) / in.mean() - 1e-9) : 1;
        return (int) Math.max(in.rf(), Math.min(in.servers(), Math.max(1, due)));
    }
}
