package io.uniserve.balance.policy;

import java.util.function.BooleanSupplier;

/**
 * How hard a policy should try.
 *
 * @param seed of everything that is left to chance
 * @param outOfTime asked now and then; once true, the policy returns the best it has
 */
public record Effort(long seed, BooleanSupplier outOfTime) {
    /** As long as the policy likes. */
    public static Effort unhurried(long seed) {
        return new Effort(seed, () -> false);
    }
}
