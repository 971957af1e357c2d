package io.uniserve.cli.table;

import io.uniserve.api.ConfigFiles;
import io.uniserve.api.LaterOptions;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ExitCode;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.model.TableName;
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
                "Changes a table while it serves; returns when all its actors have the change. One that was broken off"
                        + " is completed by making it again.",
        footer = {"  uniserve table update speeches --configset ./myconf"})
final class TableUpdate extends ClientCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The table's name.")
    private String name = "";

    @Option(
            names = "--configset",
            required = true,
            paramLabel = "DIR",
            description = "Port solr: a folder with the table's schema and what is added to it: fields, types, copies,"
                    + " files.")
    private @Nullable Path configset;

    @Override
    public Integer call() {
        TableName table = new TableName(name);
        try (ClusterClient cluster = connect()) {
            Map<String, String> options =
                    new LinkedHashMap<>(cluster.table(table).meta().options());
            String first = options.getOrDefault(ConfigsetFolder.OPTION, ConfigFiles.DEFAULT);
            String later = ConfigsetFolder.packed(
                    java.util.Objects.requireNonNull(configset), first.equals(ConfigFiles.DEFAULT) ? "" : first);
            options.put(LaterOptions.of(ConfigsetFolder.OPTION), later);
            new TablePrinter(console(), global().json()).updated(cluster.update(table, options));
        }
        return ExitCode.OK;
    }
}
