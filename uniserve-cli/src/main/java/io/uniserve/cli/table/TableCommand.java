package io.uniserve.cli.table;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve table}. */
@Command(
        name = "table",
        description = "Creates, lists, describes, changes and drops tables.",
        subcommands = {
            TableCreateCommand.class,
            TableListCommand.class,
            TableDescribeCommand.class,
            TableUpdateCommand.class,
            TableDropCommand.class
        },
        footer = {
            "  uniserve table create speeches --engine solr --actors 8 --rf 2",
            "  uniserve table list",
            "  uniserve table describe speeches -o json",
            "  uniserve table update speeches --configset ./myconf",
            "  uniserve table drop speeches"
        })
public final class TableCommand extends CommandGroup {}
