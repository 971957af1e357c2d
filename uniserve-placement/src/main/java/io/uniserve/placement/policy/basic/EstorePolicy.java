package io.uniserve.placement.policy.basic;

import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;

/**
 * Policy as in E-Store: it does not replicate for load. While a server is above its tolerance, its hottest actor that fits goes to the
 * server of least load, provided that this lowers the larger load of both.
 */
public final class EstorePolicy implements BalancePolicy {
    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        PlacementBuilder placementBuilder = new PlacementBuilder(StaticPolicy.withMissingReplicas(in));
        int moves = 0;
        while (moves < in.actors() * 2 && !searchBudget.outOfTime().getAsBoolean() && moveOne(in, placementBuilder)) {
            moves++;
        }
        return PlacementProposal.of(placementBuilder.buildEven());
    }

    private static boolean moveOne(ClusterLoad in, PlacementBuilder placementBuilder) {
        int hottest = -1;
        for (int j = 0; j < in.servers(); j++) {
            if (hottest < 0 || placementBuilder.relativeLoad(j) > placementBuilder.relativeLoad(hottest)) {
                hottest = j;
            }
        }
        if (hottest < 0 || placementBuilder.relativeLoad(hottest) <= in.mean() * (1 + in.eps())) {
            return false;
        }
        int from = hottest;
        int bestActor = -1;
        int bestServer = -1;
        double least = placementBuilder.relativeLoad(from) * (1 - 1e-9);
        for (int i = 0; i < in.actors(); i++) {
            if (!placementBuilder.hosts(i).contains(from)) {
                continue;
            }
            double part = in.load(i) / placementBuilder.replicas(i);
            int to = placementBuilder.bestServer(i, j -> -placementBuilder.relativeLoad(j));
            if (to >= 0 && part > 0) {
                double after = Math.max(
                        placementBuilder.relativeLoad(from) - part / in.weight(from),
                        placementBuilder.relativeLoad(to) + part / in.weight(to));
                if (after < least) {
                    least = after;
                    bestActor = i;
                    bestServer = to;
                }
            }
        }
        if (bestActor < 0) {
            return false;
        }
        placementBuilder.drop(bestActor, from);
        placementBuilder.add(bestActor, bestServer);
        return true;
    }
}
