package io.uniserve.cli.command;

/** Base class of commands that only have subcommands. Without a subcommand it fails with exit code {@link ExitCode#USAGE}. */
public abstract class CommandGroup extends CliCommand {
    @Override
    public final Integer call() {
        throw usageError("Missing subcommand");
    }
}
