package io.uniserve.placement.policy.basic;

import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.policy.search.ParallelismSearch;
import java.util.List;

/**
 * Policy for balance with few moves, independent of shard sets. Actors without a host go to the server with most room, hot ones first. A
 * server out of its tolerance gets the replica that helps most, and a hot actor gets as many replicas as it needs.
 */
public final class GreedyPolicy implements BalancePolicy {
    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        ClusterLoad alone = in.toBuilder().sets(List.of()).build();
        return PlacementProposal.of(new ParallelismSearch(alone, searchBudget.seed(), searchBudget.outOfTime()).run());
    }
}
