package io.uniserve.cli.table;

import io.uniserve.api.extra.MutableOptions;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ReservedTableOptions;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve table update}. */
@Command(
        name = "update",
        description =
                "Changes options of a table while it serves; returns when all its actors have the change. A change"
                        + " that was interrupted is completed by repeating it. The port determines which options may"
                        + " change: in this distribution solr's configset.",
        footer = {
            "  uniserve table update speeches --configset ./myconf",
            "  uniserve table update speeches -O uniserve.automatic-copies=off"
        })
final class TableUpdateCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The table's name.")
    private String name = "";

    @Option(
            names = "--configset",
            paramLabel = "DIR",
            description = "Port solr: a folder with the table's schema and additions to it: fields, types, copies,"
                    + " files.")
    private @Nullable Path configset;

    @Option(
            names = "-O",
            paramLabel = "OPTION=VALUE",
            description = "An option of the port that may change, or uniserve.automatic-copies; repeatable.")
    private Map<String, String> changes = new LinkedHashMap<>();

    @Override
    public Integer call() {
        TableName table = new TableName(name);
        if (configset == null && changes.isEmpty()) {
            throw usageError("nothing to change: give --configset or -O");
        }
        if (configset != null && changes.containsKey(ConfigsetPacker.OPTION)) {
            throw usageError("--configset and -O configset exclude each other");
        }
        changes.keySet().stream()
                .filter(option -> option.endsWith(MutableOptions.mutableName("")))
                .forEach(option -> {
                    throw usageError("-O " + option + ": use the name that the option has in table create");
                });
        try (ClusterClient cluster = connect()) {
            Map<String, String> options =
                    new LinkedHashMap<>(cluster.table(table).meta().options());
            if (configset != null) {
                String first = options.getOrDefault(ConfigsetPacker.OPTION, ConfigsetPacker.DEFAULT);
                String later = ConfigsetPacker.pack(configset, first.equals(ConfigsetPacker.DEFAULT) ? "" : first);
                options.put(MutableOptions.mutableName(ConfigsetPacker.OPTION), later);
            }
            changes.forEach((option, value) -> options.put(
                    ReservedTableOptions.isReserved(option) ? option : MutableOptions.mutableName(option), value));
            new TablePrinter(console(), global().isJson()).updated(cluster.update(table, options));
        }
        return ExitCode.OK;
    }
}
