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
            description = "greedy, parallelism, estore, getafix, static, or the name of a class (default: greedy).")
    String policy = Policies.DEFAULT;

    @Option(
            names = "--eps",
            paramLabel = "E",
            description = "Tolerance of a server's load, relative to its due (default: 0.05).")
    double eps = 0.05;

    @Option(names = "--rf", paramLabel = "R", description = "Least replicas of an actor (default: the instance's).")
    int rf;

    @Option(names = "--seed", paramLabel = "S", description = "Seed of what is left to chance (default: 1).")
    long seed = 1;

    @Option(
            names = "--time-limit",
            paramLabel = "S",
            description =
                    "Seconds of search a round, after which the best so far is taken (default: by size, 2 for 1,000"
                            + " actors). A policy that does not answer 30 s after that is given up.")
    double timeLimit;

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
