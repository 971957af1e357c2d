package io.uniserve.cli.trash;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code uniserve trash restore}. */
@Command(
        name = "restore",
        description = {
            "Restores replicas from the trash to their places.",
            "ZooKeeper must have the table, and its map must assign the actor to that server; then the replica is like"
                    + " one of a server that was restarted. A server does this automatically when it sees such a map."
        },
        footer = {
            "  uniserve trash restore 1764180000000-t7-a0-1f2e",
            "  uniserve trash restore --table speeches --server 5345c4a8"
        })
final class TrashRestoreCommand extends ClientCommand {
    @Mixin
    private TrashSelectionOptions selection = new TrashSelectionOptions();

    @Parameters(arity = "0..*", paramLabel = "ENTRY", description = "Entries as list shows them.")
    private List<String> names = List.of();

    @Override
    public Integer call() {
        if (names.isEmpty() && !selection.byTable()) {
            throw usageError("give an ENTRY or --table TABLE");
        }
        try (ClusterClient cluster = connect()) {
            List<TrashItem> found = selection.entries(cluster, names);
            for (TrashItem one : found) {
                cluster.restoreTrash(one.server(), one.entry().id());
                if (global().isJson()) {
                    console()
                            .json(Map.of(
                                    "restored",
                                    one.entry().id(),
                                    "server",
                                    one.server().value()));
                } else {
                    console()
                            .println("restored " + one.entry().id() + " on server "
                                    + ServerNames.shortName(one.server()));
                }
            }
            if (found.isEmpty()) {
                console().note("the trash has no entry of that table");
            }
        }
        return ExitCode.OK;
    }
}
