package io.uniserve.cli.scaler;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.message.AdminReply.Scaling;
import java.time.Instant;
import picocli.CommandLine.Command;

/** {@code uniserve scaler status}. */
@Command(
        name = "status",
        description = "Shows what the auto-scaler does, the servers that it has launched, and its last decisions.",
        footer = {"  uniserve scaler status", "  uniserve scaler status -o json"})
final class ScalerStatusCommand extends ClientCommand {
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
            TextTable instances = new TextTable("SERVER", "STATE", "SINCE", "INSTANCE", "REASON");
            for (ScalingInstance instance : scaling.record().instances()) {
                instances.row(
                        instance.serverId(),
                        instance.state(),
                        Instant.ofEpochMilli(instance.sinceMillis()),
                        instance.instanceId().isEmpty() ? "-" : instance.instanceId(),
                        instance.reason());
            }
            if (scaling.record().instances().isEmpty()) {
                console().println("it has launched no server");
            } else {
                instances.print(console());
            }
            ScalingFormatter.events(scaling, Integer.MAX_VALUE).forEach(console()::println);
        }
        return ExitCode.OK;
    }
}
