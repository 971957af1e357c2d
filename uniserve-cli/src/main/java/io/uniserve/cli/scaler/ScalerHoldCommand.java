package io.uniserve.cli.scaler;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.limit.Limits;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve scaler hold}. */
@Command(
        name = "hold",
        description = {
            "Holds the auto-scaler: it adds and removes no server until it is resumed. A drain under way is taken back.",
            "Launches and terminations under way still come to their end."
        },
        footer = {"  uniserve scaler hold", "  uniserve scaler hold --reason 'load test until 18:00'"})
final class ScalerHoldCommand extends ClientCommand {
    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "no reason given",
            description = "Reason that scaler status shows to others (default: no reason given).")
    private String reason = "";

    @Override
    public Integer call() {
        if (reason.isBlank() || reason.length() > Limits.SCALING_REASON_CHARS_MAX) {
            throw usageError("--reason needs 1 to " + Limits.SCALING_REASON_CHARS_MAX + " characters");
        }
        try (ClusterClient cluster = connect()) {
            cluster.holdScaling(reason);
            if (global().isJson()) {
                console().json(Map.of("held", true, "reason", reason));
            } else {
                console().println("scaling is held; uniserve scaler resume ends that");
            }
        }
        return ExitCode.OK;
    }
}
