package io.uniserve.balance.policy;

import java.util.function.BooleanSupplier;

/**
 * How hard a policy should try.
 *
 * @param seed of everything that is left to chance
 * @param outOfTime asked now and then; once true, the policy returns the best it has
 * @param seconds time in all, for what cannot ask: a solver that runs outside of Java; infinite for as long as it likes
 */
public record SearchBudget(long seed, BooleanSupplier outOfTime, double seconds) {
    /** Only asked, without a number. */
    public SearchBudget(long seed, BooleanSupplier outOfTime) {
        this(seed, outOfTime, Double.POSITIVE_INFINITY);
    }

    /** As long as the policy likes. */
    public static SearchBudget unhurried(long seed) {
        return new SearchBudget(seed, () -> false);
    }
}
