package io.uniserve.cli.place;

import io.uniserve.cli.DurationConverter;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options of {@code place} for a running cluster. */
final class LiveOptions {
    @Option(names = "--live", description = "Plan for the running cluster at --bootstrap, in place of --instance.")
    boolean live;

    @Option(names = "--dry-run", description = "With --live: print the plan, change nothing.")
    boolean dryRun;

    @Option(
            names = "--copies-max",
            paramLabel = "N",
            description =
                    "With --live: maximum replicas of an actor that the policy may request; 0 for none (default: 4).")
    int copiesMax = 4;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10m",
            description = "With --live: time to wait for each change, e.g. 30m (default: 10m); the change itself has no"
                    + " time limit.")
    Duration timeout = Duration.ofMinutes(10);
}
