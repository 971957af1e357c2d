package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.cli.status.ClusterReport.Actor;
import io.uniserve.cli.status.ClusterReport.Replica;
import io.uniserve.cli.status.ClusterReport.Server;
import io.uniserve.cli.status.ClusterReport.Table;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Printer of the statistics that placement uses, as text or JSON. */
final class LoadPrinter {
    private static final int SETS_SHOWN = 20;
    private static final int ACTORS_SHOWN = 12;

    private final Console console;
    private final boolean json;

    LoadPrinter(Console console, boolean json) {
        this.console = console;
        this.json = json;
    }

    void print(ClusterReport report) {
        if (json) {
            Map<String, @Nullable Object> fields = StatusJsonWriter.fields(report);
            fields.put(
                    "popularSets",
                    PopularSetAggregator.of(report).stream()
                            .map(LoadPrinter::fields)
                            .toList());
            console.json(fields);
            return;
        }
        servers(report);
        actors(report);
        sets(report);
    }

    private static Map<String, Object> fields(PopularSetAggregator.NamedSet set) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("table", set.table());
        fields.put("actors", set.actors());
        fields.put("perSecond", set.perSecond());
        fields.put("error", set.error());
        return fields;
    }

    private void servers(ClusterReport report) {
        TextTable text = new TextTable("SERVER", "REPLICAS", "CPU", "MEMORY", "DISK", "QUERIES/S", "COST MS/S");
        for (Server server : report.servers()) {
            text.row(
                    ServerNames.shortName(server.record().id()),
                    server.replicas(),
                    server.load()
                            .map(load -> "%.1f %%".formatted(load.cpuMillisPerSecond() / 10))
                            .orElse("-"),
                    server.load()
                            .map(load -> StatusPrinter.size(load.memoryBytes()))
                            .orElse("-"),
                    server.load()
                            .map(load -> StatusPrinter.size(server.diskBytes()))
                            .orElse("-"),
                    server.load()
                            .map(load -> "%.1f".formatted(server.queriesPerSecond()))
                            .orElse("-"),
                    server.load()
                            .map(load -> "%.2f"
                                    .formatted(load.replicas().stream()
                                            .mapToDouble(ReplicaLoad::queryCostMillisPerSecond)
                                            .sum()))
                            .orElse("-"));
        }
        text.print(console);
    }

    private void actors(ClusterReport report) {
        TextTable text = new TextTable(
                "TABLE", "ACTOR", "SERVER", "ROLE", "COST MS/S", "QUERIES/S", "ROWS", "MEMORY", "DISK", "AGE");
        for (Table table : report.tables()) {
            for (Actor actor : table.actors()) {
                for (Replica replica : actor.replicas()) {
                    text.row(
                            table.meta().name(),
                            actor.state().actor(),
                            ServerNames.shortName(replica.server()),
                            replica.role(),
                            cell(replica, load -> "%.2f".formatted(load.queryCostMillisPerSecond())),
                            cell(replica, load -> "%.1f".formatted(load.queriesPerSecond())),
                            cell(replica, StatusPrinter::rows),
                            cell(replica, load -> StatusPrinter.size(load.memoryBytes())),
                            cell(replica, load -> StatusPrinter.size(load.diskBytes())),
                            cell(replica, load -> "%,.0f s".formatted(load.ageSeconds())));
                }
            }
        }
        if (!report.tables().isEmpty()) {
            console.println("");
            text.print(console);
        }
    }

    private void sets(ClusterReport report) {
        var sets = PopularSetAggregator.of(report);
        if (sets.isEmpty()) {
            return;
        }
        TextTable text = new TextTable("TABLE", "ASKED TOGETHER", "QUERIES/S", "AT MOST TOO HIGH BY");
        sets.stream().limit(SETS_SHOWN).forEach(set -> {
            String actors = set.actors().stream()
                    .limit(ACTORS_SHOWN)
                    .map(String::valueOf)
                    .collect(Collectors.joining(" "));
            int more = set.actors().size() - ACTORS_SHOWN;
            text.row(
                    set.table(),
                    more > 0 ? actors + " and " + more + " more" : actors,
                    "%.2f".formatted(set.perSecond()),
                    "%.2f".formatted(set.error()));
        });
        console.println("");
        text.print(console);
    }

    private static String cell(Replica replica, Function<ReplicaLoad, String> text) {
        return replica.load().map(text).orElse("-");
    }
}
