package io.uniserve.cli.storage;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve storage}. */
@Command(
        name = "storage",
        description = "Examines durable storage.",
        subcommands = {StorageAnalyseCommand.class, StorageListCommand.class, StorageCostCommand.class},
        footer = {
            "  uniserve storage analyse s3://backups/search",
            "  uniserve storage list s3://backups/search --orphans",
            "  uniserve storage cost s3://backups/search --updates-per-second 1000 --servers 4"
        })
public final class StorageCommand extends CommandGroup {}
