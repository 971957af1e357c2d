package io.uniserve.cli.trash;

import io.uniserve.cli.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve trash}. */
@Command(
        name = "trash",
        description = {
            "Lists, restores and purges what servers keep in their trash.",
            "A replica goes there when ZooKeeper does not know its table and no record says that the table was dropped."
        },
        subcommands = {TrashList.class, TrashRestore.class, TrashPurge.class},
        footer = {
            "  uniserve trash list",
            "  uniserve trash restore --table speeches",
            "  uniserve trash purge --server 5345c4a8 --all --yes"
        })
public final class TrashCommand extends CommandGroup {}
