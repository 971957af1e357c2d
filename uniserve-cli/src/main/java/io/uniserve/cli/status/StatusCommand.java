package io.uniserve.cli.status;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationOption;
import io.uniserve.cli.ExitCode;
import io.uniserve.cli.cluster.ClusterClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve status}. */
@Command(
        name = "status",
        description = {
            "Shows the cluster: servers with their load; tables; actors whose replicas need attention, or all of them.",
            "LAG is how many log entries a replica has still to apply."
        },
        footer = {
            "  uniserve status",
            "  uniserve status --actors --watch 2s",
            "  uniserve status -o json | jq '.tables[] | {name, underReplicated}'"
        })
public final class StatusCommand extends ClientCommand {
    @Option(names = "--actors", description = "Show every replica of every actor.")
    private boolean actors;

    @Option(
            names = "--watch",
            paramLabel = "TIME",
            converter = DurationOption.class,
            description = "Show it again and again, with so much time between, e.g. 2s; ends with Ctrl-C.")
    private @Nullable Duration watch;

    @Override
    public Integer call() throws InterruptedException {
        StatusPrinter printer = new StatusPrinter(console(), global().json(), actors);
        try (ClusterClient cluster = connect()) {
            printer.print(ClusterReport.of(cluster.status()));
            CountDownLatch never = new CountDownLatch(1);
            while (watch != null && !never.await(watch.toMillis(), TimeUnit.MILLISECONDS)) {
                console().println("");
                printer.print(ClusterReport.of(cluster.status()));
            }
        }
        return ExitCode.OK;
    }
}
