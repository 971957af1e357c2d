package io.uniserve.cli.table;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve table drop}. */
@Command(
        name = "drop",
        description = "Drops tables with all their rows. This cannot be undone.",
        footer = {"  uniserve table drop speeches", "  uniserve table drop speeches events"})
final class TableDropCommand extends ClientCommand {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "The tables' names.")
    private List<String> names = List.of();

    @Override
    public Integer call() {
        List<TableName> tables = names.stream().map(TableName::new).toList();
        try (ClusterClient cluster = connect()) {
            for (TableName table : tables) {
                cluster.drop(table);
                if (global().isJson()) {
                    console().json(Map.of("dropped", table.value()));
                } else {
                    console().println("dropped table " + table);
                }
            }
        }
        return ExitCode.OK;
    }
}
