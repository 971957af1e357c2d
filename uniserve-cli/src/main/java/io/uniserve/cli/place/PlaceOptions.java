package io.uniserve.cli.place;

import io.uniserve.balance.catalog.Policies;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of {@code place} that say what to solve and how. */
final class PlaceOptions {
    @Option(
            names = "--instance",
            required = true,
            paramLabel = "FILE",
            description = "The problem: actors, servers, loads and shard sets, round by round.")
    Path instance = Path.of("");

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            defaultValue = Policies.DEFAULT,
            description =
                    "greedy, parallelism, milp, estore, getafix, static; easy, spread, balancenum for time-ordered"
                            + " actors; or the name of a class (default: greedy).")
    String policy = Policies.DEFAULT;

    @Option(names = "--seed", paramLabel = "S", description = "Seed of what is left to chance (default: 1).")
    long seed = 1;

    @Option(
            names = "--time-limit",
            paramLabel = "S",
            description =
                    "Seconds of search a round, after which the best so far is taken (default: by size, 2 for 1,000"
                            + " actors).")
    double timeLimit;

    @Option(
            names = "--grace",
            paramLabel = "S",
            description =
                    "Seconds after the time limit at which a policy that has not answered is given up (default: 30).")
    double grace = 30;

    @Option(
            names = "--actor-bytes",
            paramLabel = "N",
            description = "Bytes of an actor's replica, to tell what the moves carry (default: 1073741824).")
    long actorBytes = 1L << 30;

    @Option(names = "--moves", paramLabel = "N", description = "Refuse a placement with more new replicas than this.")
    int moves = -1;

    /** Seconds of search a round that make sense for so many actors. */
    static double secondsFor(int actors) {
        if (actors <= 300) {
            return actors <= 128 ? 9 : 6;
        }
        return actors <= 1_500 ? 1.5 : actors <= 6_000 ? 8 : 25;
    }
}
