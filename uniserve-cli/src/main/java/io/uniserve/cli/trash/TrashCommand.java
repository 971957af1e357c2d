package io.uniserve.cli.trash;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve trash}. */
@Command(
        name = "trash",
        description = {
            "Lists, restores and purges the replicas in servers' trash.",
            "A server moves a replica to its trash if ZooKeeper does not have its table and no record of the table's drop exists."
        },
        subcommands = {TrashListCommand.class, TrashRestoreCommand.class, TrashPurgeCommand.class},
        footer = {
            "  uniserve trash list",
            "  uniserve trash restore --table speeches",
            "  uniserve trash purge --server 5345c4a8 --all --yes"
        })
public final class TrashCommand extends CommandGroup {}
