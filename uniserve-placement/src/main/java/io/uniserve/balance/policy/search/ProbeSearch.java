package io.uniserve.balance.policy.search;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Whether a placement is worth another search: it is where a short one from it finds much less contention, or much better balance. Bounded by
 * steps alone, so that a placement which stays does so whatever else the machine has to do.
 */
final class ProbeSearch {
    /** Less contention by such a part is worth moving for. */
    static final double WORTH_A_CHANGE = 0.01;

    private static final int STEPS = 200_000;
    /** With so few actors a wider and longer trial costs little, and a placement that stays is nearly always the best. */
    private static final int FEW_ACTORS = 32;

    private static final int STEPS_OF_FEW = 2_000_000;
    private static final double HOT_OF_FEW = 1.5;
    private static final int EXCHANGES = 1_000_000;
    private static final double EXCHANGES_HOT = 10;
    private static final double HOT = 0.3;
    private static final double COLD = 0.03;
    private static final double ADD_PRICE = 0.05;

    private ProbeSearch() {}

    /** A balanced placement of less contention; the current one itself where it is near the bound, or none was found. */
    static Assignment better(ClusterLoad in, double contention, double bound, long seed) {
        if (in.servers() < 2 || contention <= bound * (1 + WORTH_A_CHANGE)) {
            return in.current();
        }
        SearchState s = new SearchState(in);
        s.load(in.current());
        int[] needed = LowerBounds.needed(in);
        boolean few = in.actors() <= FEW_ACTORS;
        new Annealer(s, new AugmentingPathBalancer(s), needed, new SplittableRandom(seed))
                .run(few ? STEPS_OF_FEW : STEPS, few ? HOT_OF_FEW : HOT, COLD, ADD_PRICE, 0, () -> false);
        boolean less = s.sets.exactContention() < contention * (1 - WORTH_A_CHANGE);
        return less && s.imbalance() <= s.tiny ? s.toAssignment() : in.current();
    }

    /** True where a short search does not come by anything more even, or less contended: another is not worth its time. */
    static boolean stuck(ClusterLoad in, long seed) {
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
     * A placement that is more even, or as even and of less contention, by exchanges alone; the current one itself where none was
     * found. For what cannot be balanced, and where memory is too tight to place anything anew.
     */
    static Assignment evener(ClusterLoad in, long seed) {
        SearchState s = new SearchState(in);
        s.load(in.current());
        BooleanSupplier improved = improved(s);
        annealer(s, seed).run(EXCHANGES, EXCHANGES_HOT, COLD, ADD_PRICE, 0, () -> false);
        return improved.getAsBoolean() ? s.toAssignment() : in.current();
    }

    private static BooleanSupplier improved(SearchState s) {
        double uneven = s.imbalance();
        double contention = s.sets.exactContention();
        return () -> s.imbalance() < uneven - Math.max(s.tiny, WORTH_A_CHANGE * uneven)
                || (s.imbalance() <= uneven && s.sets.contention() < contention * (1 - WORTH_A_CHANGE));
    }

    private static Annealer annealer(SearchState s, long seed) {
        int[] least = new int[s.actors];
        Arrays.fill(least, Math.min(s.in.rf(), s.servers));
        return new Annealer(s, new AugmentingPathBalancer(s), least, new SplittableRandom(seed));
    }
}
