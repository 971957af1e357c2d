package io.uniserve.cli.queries;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve queries}. */
@Command(
        name = "queries",
        description = "Lists and cancels the running queries of servers.",
        subcommands = {QueriesListCommand.class, QueriesCancelCommand.class},
        footer = {"  uniserve queries list", "  uniserve queries cancel 5f3a77c0912be4d1"})
public final class QueriesCommand extends CommandGroup {}
