package io.uniserve.cli.storage;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.backup.inventory.OrphanedObject;
import io.uniserve.protocol.backup.inventory.StorageInventory;
import io.uniserve.protocol.backup.inventory.StorageInventory.Orphans;
import io.uniserve.protocol.backup.inventory.StorageInventory.Table;
import io.uniserve.runtime.store.DurableStore;
import io.uniserve.runtime.store.DurableStoreFactory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve storage list}. */
@Command(
        name = "list",
        description = {
            "Lists what durable storage has per cluster and table, from storage alone: no cluster need run. Changes"
                    + " nothing.",
            "With --orphans it also names the objects that nothing in storage refers to, with the reason. It reads"
                    + " each checkpoint's manifest for that. Objects of uploads and drops under way look orphaned too:"
                    + " only what two listings with some hours between them name is surely orphaned."
        },
        footer = {
            "  uniserve storage list 's3://backups/search?region=eu-central-1'",
            "  uniserve storage list /mnt/backups --orphans",
            "  uniserve storage list /mnt/backups --orphans -o json"
        })
final class StorageListCommand extends CliCommand {
    /** A note about progress per this many actors. */
    private static final int ACTORS_PER_NOTE = 500;

    @Parameters(
            paramLabel = "LOCATION",
            description = "As in setting storage.location: a directory, or s3://BUCKET/PREFIX.")
    private String location = "";

    @Option(names = "--orphans", description = "Name the objects that nothing in storage refers to.")
    private boolean withOrphans;

    @Override
    public Integer call() {
        StorageLocationCheck.checkLocation(location);
        try (DurableStore store = DurableStoreFactory.open(location)) {
            StorageInventory inventory = StorageInventory.of(list(store));
            Orphans orphans = withOrphans
                    ? inventory.orphans(key -> get(store, key), done -> note(done, inventory.actors()))
                    : new Orphans(List.of(), List.of());
            if (global().isJson()) {
                json(store, inventory, orphans);
            } else {
                print(store, inventory, orphans);
            }
            return orphans.undecided().isEmpty() ? ExitCode.OK : ExitCode.NOT_PASSED;
        }
    }

    private static List<String> list(DurableStore store) {
        try {
            return store.list("");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot list " + store.describe() + ": " + e.getMessage(), e);
        }
    }

    private static Bytes get(DurableStore store, String key) {
        try {
            return store.get(key);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + key + ": " + e.getMessage(), e);
        }
    }

    private void note(int done, int all) {
        if (done % ACTORS_PER_NOTE == 0) {
            console().err().println(done + " of " + all + " actors examined");
        }
    }

    private void json(DurableStore store, StorageInventory inventory, Orphans orphans) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("location", store.describe());
        object.put("objects", inventory.objects());
        object.put("namedBackups", inventory.namedBackups());
        object.put("tables", inventory.tables());
        if (withOrphans) {
            object.put("orphans", orphans.objects());
            object.put("undecided", orphans.undecided());
        }
        console().json(object);
    }

    private void print(DurableStore store, StorageInventory inventory, Orphans orphans) {
        TextTable tables =
                new TextTable("CLUSTER", "TABLE", "DEFINED", "ACTORS", "LOG RUNS", "CHECKPOINT OBJECTS", "PINS");
        for (Table table : inventory.tables()) {
            tables.row(
                    table.cluster(),
                    table.id(),
                    table.isDefined() ? "yes" : "no",
                    table.actors(),
                    table.logs(),
                    table.checkpointObjects(),
                    table.pins());
        }
        tables.print(console());
        console()
                .println(store.describe() + ": " + inventory.objects() + " objects, " + inventory.namedBackups()
                        + " named backups");
        if (withOrphans) {
            printOrphans(orphans);
        }
    }

    private void printOrphans(Orphans orphans) {
        if (!orphans.objects().isEmpty()) {
            TextTable found = new TextTable("ORPHAN", "REASON");
            for (OrphanedObject orphan : orphans.objects()) {
                found.row(orphan.key(), orphan.reason().text());
            }
            found.print(console());
        }
        console().println(orphans.objects().size() + " orphaned objects");
        orphans.undecided().forEach(actor -> console().println("not examined: " + actor));
    }
}
