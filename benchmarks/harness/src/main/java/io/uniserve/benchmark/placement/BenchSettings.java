package io.uniserve.benchmark.placement;

import io.uniserve.placement.policy.MovesBound;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.protocol.env.Clock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings for the runs of cases.
 *
 * @param raw gets a line per round
 * @param movesBound computes the minimum of adds for rounds with the contention at its bound; null to skip that
 * @param boundSeconds its time limit
 * @param limitSeconds time limit of a round's search; 0 for a default by size
 */
record BenchSettings(
        Clock clock, Consumer<String> raw, @Nullable MovesBound movesBound, double boundSeconds, double limitSeconds) {
    /** Returns the search budget of a round that starts now. */
    SearchBudget effort(long seed, int actors) {
        double most = limitSeconds > 0 ? limitSeconds : SearchBudget.secondsFor(actors);
        long start = clock.nanos();
        return new SearchBudget(seed, () -> clock.nanos() - start > most * 1e9, most);
    }
}
