package io.uniserve.placement.policy.search;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Probe that decides whether another search from a placement is worthwhile: a short search must find much less contention, or much better
 * balance. It is bounded by steps only, so that the decision does not depend on the machine's load.
 */
final class ProbeSearch {
    /** Relative decrease of contention that is worth moves. */
    static final double WORTH_A_CHANGE = 0.01;

    private static final int STEPS = 200_000;
    /** Number of actors below which a wider and longer trial costs little; such a placement is then nearly always optimal. */
    private static final int FEW_ACTORS = 32;

    private static final int STEPS_OF_FEW = 2_000_000;
    private static final double HOT_OF_FEW = 1.5;
    private static final int EXCHANGES = 1_000_000;
    private static final double EXCHANGES_HOT = 10;
    private static final double HOT = 0.3;
    private static final double COLD = 0.03;
    private static final double ADD_PRICE = 0.05;

    private ProbeSearch() {}

    /** Returns a balanced placement with less contention; the current one if it is near the bound or none was found. */
    static Assignment findBetter(ClusterLoad in, double contention, double bound, long seed) {
        if (in.servers() < 2 || contention <= bound * (1 + WORTH_A_CHANGE)) {
            return in.current();
        }
        SearchState s = new SearchState(in);
        s.load(in.current());
        int[] needed = PlacementLowerBounds.needed(in);
        boolean few = in.actors() <= FEW_ACTORS;
        new Annealer(s, new AugmentingPathBalancer(s), needed, new SplittableRandom(seed))
                .run(few ? STEPS_OF_FEW : STEPS, few ? HOT_OF_FEW : HOT, COLD, ADD_PRICE, 0, () -> false);
        boolean less = s.sets.exactContention() < contention * (1 - WORTH_A_CHANGE);
        return less && s.imbalance() <= s.epsilon ? s.toAssignment() : in.current();
    }

    /** True if a short search finds nothing more balanced or with less contention: another search does not pay. */
    static boolean isStuck(ClusterLoad in, long seed) {
        SearchState s = new SearchState(in);
        s.load(in.current());
        BooleanSupplier improved = improved(s);
        boolean[] seen = new boolean[1];
        annealer(s, seed).run(STEPS, HOT, COLD, ADD_PRICE, 0, () -> {
            seen[0] |= improved.getAsBoolean();
            return seen[0];
        });
        return !seen[0] && !improved.getAsBoolean();
    }

    /**
     * Returns a placement with better balance, or equal balance and less contention, by exchanges alone; the current one if none was found.
     * For clusters that cannot be balanced, or with too little memory for new placements.
     */
    static Assignment findMoreEven(ClusterLoad in, long seed) {
        SearchState s = new SearchState(in);
        s.load(in.current());
        BooleanSupplier improved = improved(s);
        annealer(s, seed).run(EXCHANGES, EXCHANGES_HOT, COLD, ADD_PRICE, 0, () -> false);
        return improved.getAsBoolean() ? s.toAssignment() : in.current();
    }

    private static BooleanSupplier improved(SearchState s) {
        double uneven = s.imbalance();
        double contention = s.sets.exactContention();
        return () -> s.imbalance() < uneven - Math.max(s.epsilon, WORTH_A_CHANGE * uneven)
                || (s.imbalance() <= uneven && s.sets.contention() < contention * (1 - WORTH_A_CHANGE));
    }

    private static Annealer annealer(SearchState s, long seed) {
        int[] least = new int[s.actors];
        Arrays.fill(least, Math.min(s.in.rf(), s.servers));
        return new Annealer(s, new AugmentingPathBalancer(s), least, new SplittableRandom(seed));
    }
}
