package io.uniserve.cli.status;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.scaler.ScalingFormatter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.AdminReply.Scaling;
import io.uniserve.runtime.time.SystemClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve status}. */
@Command(
        name = "status",
        description = {
            "Shows the cluster: servers with their load; tables; actors whose replicas need attention, or all of them.",
            "LAG is the number of log entries that a replica has not applied yet. Unknown values are shown as - or unknown, never as"
                    + " ok or 0.",
            "Problems are listed last. Exit code 1 if one of them is an ERROR (not served), UNKNOWN, or FAILING (such as"
                    + " the backup); 0 if there are none or only WARNINGs, such as replicas that are being restored."
        },
        footer = {
            "  uniserve status",
            "  uniserve status --actors --watch 2s",
            "  uniserve status --load",
            "  uniserve status -o json | jq '.tables[] | {name, underReplicated}'"
        })
public final class StatusCommand extends ClientCommand {
    private static final int SCALING_EVENTS = 3;

    @Option(names = "--actors", description = "Show every replica of every actor.")
    private boolean actors;

    @Option(
            names = "--load",
            description =
                    "Show the statistics of placement: CPU, memory and disk of servers, the cost of queries per actor, and"
                            + " the actors that queries ask together.")
    private boolean load;

    @Option(
            names = "--watch",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Repeat with this interval, e.g. 2s, until Ctrl-C.")
    private @Nullable Duration watch;

    @Override
    public Integer call() throws InterruptedException {
        StatusPrinter status = new StatusPrinter(console(), global().isJson(), actors);
        LoadPrinter loads = new LoadPrinter(console(), global().isJson());
        Consumer<ClusterReport> printer = load ? loads::print : status::print;
        try (ClusterClient cluster = connect()) {
            ClusterReport report = ClusterReport.of(cluster.status());
            printer.accept(report);
            printScaling(cluster);
            printCertificates(cluster);
            CountDownLatch never = new CountDownLatch(1);
            while (watch != null && !never.await(watch.toMillis(), TimeUnit.MILLISECONDS)) {
                console().println("");
                report = ClusterReport.of(cluster.status());
                printer.accept(report);
                printScaling(cluster);
                printCertificates(cluster);
            }
            return ClusterProblemCollector.hasFailure(report) ? ExitCode.NOT_PASSED : ExitCode.OK;
        }
    }

    /** Prints the certificates of processes, if they have any. {@code security status} has them as JSON. */
    private void printCertificates(ClusterClient cluster) {
        if (!global().isJson() && !load) {
            new CertificatePrinter(console(), SystemClock.INSTANCE.wallMillis()).print(cluster.certificates());
        }
    }

    /** Prints the auto-scaler's state and last decisions, if the cluster has one. {@code scaler status} has them as JSON. */
    private void printScaling(ClusterClient cluster) {
        if (global().isJson() || load) {
            return;
        }
        try {
            Scaling scaling = cluster.scaling();
            console().println("scaling: " + ScalingFormatter.state(scaling));
            ScalingFormatter.events(scaling, SCALING_EVENTS)
                    .forEach(event -> console().println("  " + event));
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.UNSUPPORTED) {
                throw e;
            }
        }
    }
}
