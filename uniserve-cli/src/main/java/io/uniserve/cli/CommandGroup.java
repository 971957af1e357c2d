package io.uniserve.cli;

/** A command that only holds subcommands: called without one it says so. */
public abstract class CommandGroup extends CliCommand {
    @Override
    public final Integer call() {
        throw usage("Missing subcommand");
    }
}
