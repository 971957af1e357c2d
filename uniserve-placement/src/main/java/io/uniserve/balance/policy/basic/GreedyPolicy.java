package io.uniserve.balance.policy.basic;

import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.Proposal;
import io.uniserve.balance.policy.SearchBudget;
import io.uniserve.balance.policy.search.ParallelismSearch;
import java.util.List;

/**
 * Balance with few moves, whatever queries ask together: actors without a host go to the server with most room, hot ones
 * first, a server out of its tolerance gets the replica that helps most, and a hot actor as many as it takes.
 */
public final class GreedyPolicy implements BalancePolicy {
    @Override
    public Proposal place(ClusterLoad in, SearchBudget searchBudget) {
        ClusterLoad alone = in.toBuilder().sets(List.of()).build();
        return Proposal.of(new ParallelismSearch(alone, searchBudget.seed(), searchBudget.outOfTime()).run());
    }
}
