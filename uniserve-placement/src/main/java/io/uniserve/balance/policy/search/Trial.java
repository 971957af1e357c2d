package io.uniserve.balance.policy.search;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import java.util.SplittableRandom;

/**
 * Whether a balanced placement is worth another search: it is where a short one from it finds much less contention. Bounded by
 * steps alone, so that a placement which stays does so whatever else the machine has to do.
 */
final class Trial {
    /** Less contention by such a part is worth moving for. */
    static final double WORTH_A_CHANGE = 0.01;

    private static final int STEPS = 200_000;
    private static final double HOT = 0.3;
    private static final double COLD = 0.03;
    private static final double ADD_PRICE = 0.05;

    private Trial() {}

    /** A balanced placement of less contention; the current one itself where it is near the bound, or none was found. */
    static Assignment better(ClusterLoad in, double contention, double bound, long seed) {
        if (in.servers() < 2 || contention <= bound * (1 + WORTH_A_CHANGE)) {
            return in.current();
        }
        SearchState s = new SearchState(in);
        s.load(in.current());
        int[] needed = LowerBounds.needed(in);
        new Annealer(s, new Flows(s), needed, new SplittableRandom(seed)).run(STEPS, HOT, COLD, ADD_PRICE, 0, () -> false);
        boolean less = s.sets.exactContention() < contention * (1 - WORTH_A_CHANGE);
        return less && s.imbalance() <= s.tiny ? s.toAssignment() : in.current();
    }
}
