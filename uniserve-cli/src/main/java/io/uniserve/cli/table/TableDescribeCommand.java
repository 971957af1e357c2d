package io.uniserve.cli.table;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.status.ActorStateTexts;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve table describe}. */
@Command(
        name = "describe",
        description = "Shows a table's definition, and the places and states of its actors.",
        footer = {"  uniserve table describe speeches", "  uniserve table describe speeches -o json"})
final class TableDescribeCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The table's name.")
    private String name = "";

    @Override
    public Integer call() {
        TableName table = new TableName(name);
        try (ClusterClient cluster = connect()) {
            TableRoute route = cluster.table(table);
            new TablePrinter(console(), global().isJson()).describe(route, ActorStateTexts.of(cluster, table));
        }
        return ExitCode.OK;
    }
}
