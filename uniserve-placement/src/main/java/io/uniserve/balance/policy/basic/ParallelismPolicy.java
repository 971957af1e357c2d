package io.uniserve.balance.policy.basic;

import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.Effort;
import io.uniserve.balance.policy.Proposal;
import io.uniserve.balance.policy.search.ParallelismSearch;
import java.util.List;

/** Every query on as many servers as possible: least contention of the popular shard sets, then few moves, in balance. */
public final class ParallelismPolicy implements BalancePolicy {
    @Override
    public Proposal place(ClusterLoad in, Effort effort) {
        var found = new ParallelismSearch(in, effort.seed(), effort.outOfTime()).run();
        return new Proposal(
                found, effort.outOfTime().getAsBoolean() ? List.of("the search ended with its time") : List.of());
    }
}
