package io.uniserve.cli.table;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import picocli.CommandLine.Command;

/** {@code uniserve table list}. */
@Command(
        name = "list",
        description = "Lists all tables.",
        footer = {"  uniserve table list", "  uniserve table list -o json | jq -r '.[].name'"})
final class TableListCommand extends ClientCommand {
    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            new TablePrinter(console(), global().isJson()).list(cluster.tables());
        }
        return ExitCode.OK;
    }
}
