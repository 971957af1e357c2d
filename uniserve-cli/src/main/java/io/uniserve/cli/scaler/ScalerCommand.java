package io.uniserve.cli.scaler;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve scaler}. */
@Command(
        name = "scaler",
        description = "Shows, holds and resumes the auto-scaler, which adds and removes servers.",
        subcommands = {
            ScalerStatusCommand.class,
            ScalerExplainCommand.class,
            ScalerHoldCommand.class,
            ScalerResumeCommand.class
        },
        footer = {
            "  uniserve scaler status",
            "  uniserve scaler explain",
            "  uniserve scaler hold --reason 'load test until 18:00'",
            "  uniserve scaler resume"
        })
public final class ScalerCommand extends CommandGroup {}
