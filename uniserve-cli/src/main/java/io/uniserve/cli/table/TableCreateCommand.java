package io.uniserve.cli.table;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve table create}. */
@Command(
        name = "create",
        description = "Creates a table; returns when all its actors serve.",
        footer = {
            "  uniserve table create speeches --engine solr --actors 8 --rf 2",
            "  uniserve table create events --engine kv --range-bounds 1000,2000,3000 --key time",
            "  uniserve table create events --engine kv --time 'ts P1D' --retention P90D --buckets 2",
            "  uniserve table create speeches --engine solr --configset ./myconf --on-loss restore-actor"
        })
final class TableCreateCommand extends ClientCommand {
    private static final int ACTORS_DEFAULT = 8;

    @Parameters(index = "0", paramLabel = "NAME", description = "The table's name.")
    private String name = "";

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "Required: the engine that holds the rows, e.g. solr or kv.")
    private @Nullable String engine;

    @Option(names = "--port", paramLabel = "ENGINE", hidden = true, description = "Deprecated name of --engine.")
    private @Nullable String port;

    @Option(
            names = "--actors",
            paramLabel = "N",
            description =
                    "Partitions by hash of the key; fixed for the table's lifetime (default: " + ACTORS_DEFAULT + ").")
    private int actors = ACTORS_DEFAULT;

    @Option(
            names = "--range-bounds",
            paramLabel = "B",
            split = ",",
            description = "Partitions by range of a whole-number key instead: N ascending bounds make N+1 actors.")
    private @Nullable List<Long> bounds;

    @ArgGroup(exclusive = false, heading = "%nPartitioning by time:%n")
    private final TimeOptions time = new TimeOptions();

    @Option(names = "--rf", paramLabel = "N", defaultValue = "2", description = "Replicas of every actor (default: 2).")
    private int rf;

    @Option(
            names = "--min-isr",
            paramLabel = "N",
            defaultValue = "1",
            description = "Updates are refused while fewer replicas are in sync (default: 1).")
    private int minIsr;

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            defaultValue = "eventual",
            description = "Consistency: eventual (default), serializable or fully-serializable.")
    private String level = "";

    @Option(
            names = "--on-loss",
            paramLabel = "WAIT",
            defaultValue = "wait",
            description =
                    "Action when all in-sync replicas of an actor are lost: wait (default), restore-actor or restore-table.")
    private String onLoss = "";

    @Option(
            names = "--durability",
            paramLabel = "WHERE",
            defaultValue = "local",
            description =
                    "Condition for the acknowledgement of an update: all in-sync replicas have it on disk: local (default);"
                            + " durable storage has it too: remote.")
    private String durability = "";

    @Option(names = "--key", paramLabel = "FIELD", defaultValue = "id", description = "The key field (default: id).")
    private String key = "";

    @Option(names = "-O", paramLabel = "OPTION=VALUE", description = "An option of the engine; repeatable.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--configset",
            paramLabel = "DIR",
            description = "Engine solr: a folder with schema.xml or managed-schema and the files it names.")
    private @Nullable Path configset;

    @Override
    public Integer call() {
        String chosen = renamedOrNull("--engine", engine, "--port", port);
        if (chosen == null) {
            throw usageError("Missing required option: '--engine=ENGINE', e.g. --engine kv");
        }
        if (configset != null) {
            if (options.containsKey(ConfigsetPacker.OPTION)) {
                throw usageError("--configset and -O configset exclude each other");
            }
            options.put(ConfigsetPacker.OPTION, ConfigsetPacker.pack(configset, ""));
        }
        if (bounds != null && isGiven("--actors")) {
            throw usageError("--actors and --range-bounds exclude each other: N bounds make N+1 actors");
        }
        if (time.isGiven() && (bounds != null || isGiven("--actors"))) {
            throw usageError("--time excludes --actors and --range-bounds: --buckets gives the actors per chunk");
        }
        TableMeta meta = new TableMeta(
                new TableName(name),
                0,
                partitioner(),
                key,
                parseConstant(ConsistencyLevel.class, "--level", level),
                rf,
                minIsr,
                parseConstant(OnLoss.class, "--on-loss", onLoss),
                parseConstant(Durability.class, "--durability", durability),
                chosen,
                options);
        try (ClusterClient cluster = connect()) {
            new TablePrinter(console(), global().isJson()).created(cluster.create(meta));
        }
        return ExitCode.OK;
    }

    private Partitioner partitioner() {
        if (time.isGiven()) {
            return time.partitioner();
        }
        return bounds == null ? new Partitioner.Hash(actors) : new Partitioner.Range(bounds);
    }

    /** Parses a constant by its name on the command line: lower case, with hyphens. */
    private <E extends Enum<E>> E parseConstant(Class<E> type, String option, String text) {
        for (E constant : type.getEnumConstants()) {
            if (TablePrinter.label(constant)
                    .equals(text.toLowerCase(Locale.ROOT).replace('_', '-'))) {
                return constant;
            }
        }
        String choices = String.join(
                ", ",
                java.util.Arrays.stream(type.getEnumConstants())
                        .map(TablePrinter::label)
                        .toList());
        throw usageError("Invalid value for option '" + option + "': '" + text + "'; use one of " + choices);
    }
}
