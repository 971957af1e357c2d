package io.uniserve.placement.policy;

import java.util.function.BooleanSupplier;

/**
 * Budget of a policy's search.
 *
 * @param seed of all random choices
 * @param outOfTime polled from time to time; once true, the policy returns its best result
 * @param seconds total time for solvers outside of Java, which cannot poll; infinite for no limit
 */
public record SearchBudget(long seed, BooleanSupplier outOfTime, double seconds) {
    /** Creates a budget that is only polled. */
    public SearchBudget(long seed, BooleanSupplier outOfTime) {
        this(seed, outOfTime, Double.POSITIVE_INFINITY);
    }

    /** Creates a budget without limit. */
    public static SearchBudget unlimited(long seed) {
        return new SearchBudget(seed, () -> false);
    }

    /** Returns the default seconds of search per round for this many actors. */
    public static double secondsFor(int actors) {
        if (actors <= 300) {
            return actors <= 128 ? 9 : 6;
        }
        return actors <= 1_500 ? 1.5 : actors <= 6_000 ? 8 : 25;
    }
}
