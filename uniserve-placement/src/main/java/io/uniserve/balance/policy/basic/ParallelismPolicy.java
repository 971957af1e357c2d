package io.uniserve.balance.policy.basic;

import io.uniserve.balance.limit.PlacementLimits;
import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.model.ShardSet;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.Effort;
import io.uniserve.balance.policy.Proposal;
import io.uniserve.balance.policy.search.ParallelismSearch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Every query on as many servers as possible: least contention of the popular shard sets, then few moves, in balance. Of more
 * shard sets than there is memory to count for every server, the most frequent are looked at.
 */
public final class ParallelismPolicy implements BalancePolicy {
    @Override
    public Proposal place(ClusterLoad in, Effort effort) {
        List<String> notes = new ArrayList<>();
        ClusterLoad looked = in;
        int most = PlacementLimits.SET_COUNTS_MAX / Math.max(1, in.servers());
        if (in.sets().size() > most) {
            notes.add("only the " + most + " most frequent of " + in.sets().size() + " shard sets were looked at");
            looked = in.toBuilder()
                    .sets(in.sets().stream()
                            .sorted(Comparator.comparingDouble(ShardSet::frequency)
                                    .reversed())
                            .limit(most)
                            .toList())
                    .build();
        }
        var found = new ParallelismSearch(looked, effort.seed(), effort.outOfTime()).run();
        if (effort.outOfTime().getAsBoolean()) {
            notes.add("the search ended with its time");
        }
        return new Proposal(found, notes);
    }
}
