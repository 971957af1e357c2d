package io.uniserve.cli.place;

import io.uniserve.balance.policy.MovesBound;
import io.uniserve.balance.policy.SearchBudget;
import io.uniserve.protocol.env.Clock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How cases are run.
 *
 * @param raw is given a line for each round
 * @param bound asked for the least adds of each round whose contention is at its bound; null to do without
 * @param boundSeconds that it may take
 * @param limitSeconds of a round's search; 0 for what makes sense for its size
 */
record BenchSettings(
        Clock clock, Consumer<String> raw, @Nullable MovesBound bound, double boundSeconds, double limitSeconds) {
    /** What a round may take, from now on. */
    SearchBudget effort(long seed, int actors) {
        double most = limitSeconds > 0 ? limitSeconds : PlaceOptions.secondsFor(actors);
        long start = clock.nanos();
        return new SearchBudget(seed, () -> clock.nanos() - start > most * 1e9, most);
    }
}
