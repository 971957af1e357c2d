package io.uniserve.cli.command;

import java.util.List;

/** Root of the command line, as its subcommands see it. */
public interface RootCommand {
    /** Returns the streams of the command. */
    Console console();

    /** Returns the options that every command has. */
    GlobalOptions options();

    /** Returns the names of subcommands in the order of the help. Subcommands that are not in the list follow, ordered by name. */
    List<String> order();
}
