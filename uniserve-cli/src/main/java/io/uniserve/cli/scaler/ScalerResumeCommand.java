package io.uniserve.cli.scaler;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code uniserve scaler resume}. */
@Command(
        name = "resume",
        description = "Ends a hold of the auto-scaler.",
        footer = {"  uniserve scaler resume"})
final class ScalerResumeCommand extends ClientCommand {
    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            cluster.holdScaling("");
            if (global().isJson()) {
                console().json(Map.of("held", false));
            } else {
                console().println("scaling is resumed");
            }
        }
        return ExitCode.OK;
    }
}
