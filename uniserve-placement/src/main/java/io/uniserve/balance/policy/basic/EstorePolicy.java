package io.uniserve.balance.policy.basic;

import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.Proposal;
import io.uniserve.balance.policy.SearchBudget;

/**
 * As E-Store: nothing is replicated for load. As long as a server is above its tolerance, its hottest actor that fits goes to
 * the server of least load, where that makes the hotter of both less hot.
 */
public final class EstorePolicy implements BalancePolicy {
    @Override
    public Proposal place(ClusterLoad in, SearchBudget effort) {
        PlacementBuilder draft = new PlacementBuilder(StaticPolicy.complete(in));
        int moves = 0;
        while (moves < in.actors() * 2 && !effort.outOfTime().getAsBoolean() && moveOne(in, draft)) {
            moves++;
        }
        return Proposal.of(draft.evenly());
    }

    private static boolean moveOne(ClusterLoad in, PlacementBuilder draft) {
        int hottest = -1;
        for (int j = 0; j < in.servers(); j++) {
            if (hottest < 0 || draft.load(j) > draft.load(hottest)) {
                hottest = j;
            }
        }
        if (hottest < 0 || draft.load(hottest) <= in.mean() * (1 + in.eps())) {
            return false;
        }
        int from = hottest;
        int bestActor = -1;
        int bestServer = -1;
        double least = draft.load(from) * (1 - 1e-9);
        for (int i = 0; i < in.actors(); i++) {
            if (!draft.hosts(i).contains(from)) {
                continue;
            }
            double part = in.load(i) / draft.replicas(i);
            int to = draft.best(i, j -> -draft.load(j));
            if (to >= 0 && part > 0) {
                double after =
                        Math.max(draft.load(from) - part / in.weight(from), draft.load(to) + part / in.weight(to));
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
        draft.drop(bestActor, from);
        draft.add(bestActor, bestServer);
        return true;
    }
}
