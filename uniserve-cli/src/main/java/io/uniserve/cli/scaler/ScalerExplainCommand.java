package io.uniserve.cli.scaler;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.placement.ScalingView.Server;
import io.uniserve.protocol.message.AdminReply.Scaling;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code uniserve scaler explain}. */
@Command(
        name = "explain",
        description = {
            "Shows the load of each server as the auto-scaler sees it, the first reason why each may not go, and the first"
                    + " reason why no server may be added now.",
            "CPU is that of queries and updates, as a mean over the current period."
        },
        footer = {"  uniserve scaler explain", "  uniserve scaler explain -o json"})
final class ScalerExplainCommand extends ClientCommand {
    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            Scaling scaling = cluster.scaling();
            if (global().isJson()) {
                console().json(ScalingFormatter.json(scaling));
                return ExitCode.OK;
            }
            console().println("scaling: " + ScalingFormatter.state(scaling));
            ScalingFormatter.problem(scaling).ifPresent(console()::println);
            console()
                    .println("adding: "
                            + (scaling.addReason().isEmpty() ? "nothing speaks against it" : scaling.addReason()));
            TextTable servers = new TextTable("SERVER", "CPU", "CORES", "PRIMARIES", "REPLICAS", "REMOVAL");
            for (Server server : scaling.servers()) {
                servers.row(
                        ServerNames.shortName(server.id()),
                        server.cpuCores().isEmpty()
                                ? "unknown"
                                : String.format(
                                        Locale.ROOT,
                                        "%.0f %%",
                                        100 * server.cpuCores().getAsDouble() / server.coresMax()),
                        String.format(Locale.ROOT, "%.2f", server.coresMax()),
                        server.primaries(),
                        server.replicas(),
                        server.isRemovable() ? "may go" : "stays: " + server.keepReason());
            }
            servers.print(console());
        }
        return ExitCode.OK;
    }
}
