package io.uniserve.cli.storage;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve storage}. */
@Command(
        name = "storage",
        description = "Examines durable storage.",
        subcommands = {StorageAnalyseCommand.class, StorageListCommand.class},
        footer = {
            "  uniserve storage analyse s3://backups/search",
            "  uniserve storage list s3://backups/search --orphans"
        })
public final class StorageCommand extends CommandGroup {}
