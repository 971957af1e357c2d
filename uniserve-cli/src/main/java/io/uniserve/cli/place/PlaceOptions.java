package io.uniserve.cli.place;

import io.uniserve.placement.catalog.PolicyCatalog;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code place} for the problem and the policy. */
final class PlaceOptions {
    static final double GRACE_SECONDS = 30;

    @Option(
            names = "--instance",
            paramLabel = "FILE",
            description = "The problem: actors, servers, loads and shard sets, round by round.")
    @Nullable
    Path instance;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            defaultValue = PolicyCatalog.DEFAULT,
            description =
                    "greedy, parallelism, milp, estore, getafix, static; easy, spread, balancenum for time-ordered"
                            + " actors; with --live also hottest-first; or the name of a class (default: greedy).")
    String policy = PolicyCatalog.DEFAULT;

    @Option(names = "--seed", paramLabel = "S", description = "Seed of random choices (default: 1).")
    long seed = 1;

    @Option(
            names = "--time-limit",
            paramLabel = "S",
            description =
                    "Seconds of search per round, after which the best result so far is used (default: by size, 2 for 1,000"
                            + " actors).")
    double timeLimit;

    @Option(
            names = "--grace",
            paramLabel = "S",
            description = "Seconds after the time limit until a policy without an answer is abandoned (default: 30).")
    double grace = GRACE_SECONDS;

    @Option(
            names = "--actor-bytes",
            paramLabel = "N",
            description = "Bytes of an actor's replica, to compute the bytes of moves (default: 1073741824).")
    long actorBytes = 1L << 30;

    @Option(names = "--moves", paramLabel = "N", description = "Refuse a placement with more new replicas than this.")
    int moves = -1;
}
