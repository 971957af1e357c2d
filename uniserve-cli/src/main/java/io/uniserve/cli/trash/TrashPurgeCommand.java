package io.uniserve.cli.trash;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve trash purge}. */
@Command(
        name = "purge",
        description = {
            "Deletes replicas from the trash. This cannot be undone.",
            "Select entries by name, by table, or all; the latter two need --yes."
        },
        footer = {
            "  uniserve trash purge 1764180000000-t7-a0-1f2e",
            "  uniserve trash purge --table speeches --yes",
            "  uniserve trash purge --server 5345c4a8 --all --yes"
        })
final class TrashPurgeCommand extends ClientCommand {
    @Mixin
    private TrashSelectionOptions selection = new TrashSelectionOptions();

    @Option(names = "--all", description = "Everything in the trash of the chosen servers.")
    private boolean all;

    @Option(names = "--yes", description = "Confirm; needed without names.")
    private boolean yes;

    @Parameters(arity = "0..*", paramLabel = "ENTRY", description = "Entries as list shows them.")
    private List<String> names = List.of();

    @Override
    public Integer call() {
        int wanted = (names.isEmpty() ? 0 : 1) + (selection.byTable() ? 1 : 0) + (all ? 1 : 0);
        if (wanted != 1) {
            throw usageError("give one of ENTRY, --table TABLE and --all");
        }
        if (names.isEmpty() && !yes) {
            throw usageError("purge deletes replicas for good: check uniserve trash list, then add --yes");
        }
        try (ClusterClient cluster = connect()) {
            List<TrashItem> found = selection.entries(cluster, names);
            for (TrashItem one : found) {
                cluster.purgeTrash(one.server(), one.entry().id());
                if (global().isJson()) {
                    console()
                            .json(Map.of(
                                    "purged",
                                    one.entry().id(),
                                    "server",
                                    one.server().value()));
                } else {
                    console()
                            .println(
                                    "purged " + one.entry().id() + " on server " + ServerNames.shortName(one.server()));
                }
            }
            if (found.isEmpty()) {
                console().note("the trash is empty");
            }
        }
        return ExitCode.OK;
    }
}
