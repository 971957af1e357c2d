package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.cli.status.ClusterReport.Actor;
import io.uniserve.cli.status.ClusterReport.Replica;
import io.uniserve.cli.status.ClusterReport.Server;
import io.uniserve.cli.status.ClusterReport.Table;
import io.uniserve.model.PortInfo;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import io.uniserve.protocol.message.AdminReply.MoveStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Printer of a {@link ClusterReport}, as text or JSON. */
final class StatusPrinter {
    private final Console console;
    private final boolean json;
    private final boolean allActors;

    StatusPrinter(Console console, boolean json, boolean allActors) {
        this.console = console;
        this.json = json;
        this.allActors = allActors;
    }

    void print(ClusterReport report) {
        if (json) {
            console.json(StatusJsonWriter.fields(report));
            return;
        }
        console.println("cluster %s, coordinator %s, term %d"
                .formatted(
                        report.cluster(), report.coordinator() == null ? "none" : report.coordinator(), report.term()));
        console.println("");
        servers(report);
        console.println("");
        tables(report);
        actors(report);
        problems(report);
    }

    private void problems(ClusterReport report) {
        List<HealthProblem> problems = ClusterProblemCollector.of(report);
        if (!problems.isEmpty()) {
            TextTable text = new TextTable("SEVERITY", "OBJECT", "PROBLEM");
            problems.forEach(problem -> text.row(problem.severity(), problem.object(), problem.text()));
            console.println("");
            text.print(console);
        }
    }

    private void servers(ClusterReport report) {
        TextTable text = new TextTable(
                "SERVER", "ADDRESS", "ZONE", "PORTS", "PRIMARIES", "REPLICAS", "CPU", "QUERIES/S", "DISK", "STATE");
        for (Server server : report.servers()) {
            text.row(
                    ServerNames.shortName(server.record().id()),
                    server.record().address(),
                    server.record().zone().isEmpty() ? "-" : server.record().zone(),
                    String.join(
                            ",",
                            server.record().ports().stream().map(PortInfo::name).toList()),
                    server.primaries(),
                    server.replicas(),
                    server.load()
                            .map(load -> "%.1f %%".formatted(load.cpuMillisPerSecond() / 10))
                            .orElse("-"),
                    server.load()
                            .map(load -> "%.1f".formatted(server.queriesPerSecond()))
                            .orElse("-"),
                    server.load().map(load -> size(server.diskBytes())).orElse("-"),
                    state(server));
        }
        text.print(console);
        if (!report.drained().isEmpty()) {
            console.println("drained: " + ServerNames.shortName(report.drained()));
        }
        releases(report.servers());
        moves(report.rebalance());
    }

    /** Prints the releases of the servers if they differ, as during an upgrade. */
    private void releases(List<Server> servers) {
        TreeMap<String, Integer> counts = new TreeMap<>();
        servers.forEach(server -> counts.merge(server.record().release().toString(), 1, Integer::sum));
        if (counts.size() > 1) {
            console.println("releases: "
                    + counts.entrySet().stream()
                            .map(one -> one.getKey() + " on " + one.getValue()
                                    + (one.getValue() == 1 ? " server" : " servers"))
                            .collect(Collectors.joining(", ")));
        }
    }

    private void moves(Rebalance rebalance) {
        if (!rebalance.state().isEmpty()) {
            console.println("rebalancing: " + rebalance.state());
        }
        for (MoveStatus moving : rebalance.moves()) {
            console.println("moving: %s/%d%s%s%s"
                    .formatted(
                            moving.table(),
                            moving.actor(),
                            moving.from().isEmpty() ? "" : " from " + ServerNames.shortName(moving.from()),
                            moving.to().isEmpty() ? "" : " to " + ServerNames.shortName(moving.to()),
                            moving.reason().isEmpty() ? "" : ": " + moving.reason()));
        }
        rebalance.copies().forEach(copy -> console.println(copy(copy)));
    }

    private static String copy(CopyStatus copy) {
        String number = copy.automatic() > copy.requested()
                ? "%d replicas, %d without automatic copies".formatted(copy.replicas(), copy.requested())
                : "%d replicas, none automatic".formatted(copy.replicas());
        String shares = copy.weights().entrySet().stream()
                .map(entry -> "%s %.0f%%".formatted(ServerNames.shortName(entry.getKey()), 100 * entry.getValue()))
                .collect(Collectors.joining(", "));
        return "copies: %s/%d: %s%s%s"
                .formatted(
                        copy.table(),
                        copy.actor(),
                        number,
                        shares.isEmpty() ? "" : "; queries: " + shares,
                        copy.reason().isEmpty() ? "" : "; " + copy.reason());
    }

    private void tables(ClusterReport report) {
        if (report.tables().isEmpty()) {
            console.println("no tables");
            return;
        }
        TextTable text =
                new TextTable("TABLE", "PORT", "ACTORS", "RF", "ROWS", "UNDER-REPLICATED", "BACKUP LAG", "STATE");
        for (Table table : report.tables()) {
            text.row(
                    table.meta().name(),
                    table.meta().port(),
                    table.actors().size(),
                    table.meta().rf(),
                    table.rows().isPresent() ? "%,d".formatted(table.rows().getAsLong()) : "-",
                    table.underReplicated(),
                    table.backupLag().isPresent()
                            ? "%,d".formatted(table.backupLag().getAsLong())
                            : "-",
                    TableHealth.of(table, ClusterProblemCollector.isCurrent(report))
                            .text());
        }
        text.print(console);
    }

    /** Returns the state in one word; the list of problems has the causes. */
    private static String state(Server server) {
        return switch (server.health().state()) {
            case OK -> "ok";
            case UNKNOWN -> "unknown";
            case FAILED -> "problems";
        };
    }

    private void actors(ClusterReport report) {
        TextTable text = new TextTable(
                "TABLE",
                "ACTOR",
                "EPOCH",
                "SERVER",
                "ROLE",
                "LAG",
                "LAST",
                "BACKUP LAG",
                "CHECKPOINT",
                "ROWS",
                "QUERIES/S",
                "DISK",
                "STATE");
        boolean any = false;
        for (Table table : report.tables()) {
            for (Actor actor : table.actors()) {
                if (allActors || actor.needsAttention(table.meta().rf())) {
                    any = true;
                    actor.replicas().forEach(replica -> row(text, table, actor, replica));
                }
            }
        }
        if (any) {
            console.println("");
            text.print(console);
        }
    }

    private static void row(TextTable text, Table table, Actor actor, Replica replica) {
        text.row(
                table.meta().name(),
                actor.state().actor(),
                actor.state().epoch(),
                ServerNames.shortName(replica.server()),
                replica.role(),
                replica.lag().map(String::valueOf).orElse("-"),
                cell(replica, load -> "%d".formatted(load.lastIndex())),
                replica.backupLag().map(String::valueOf).orElse("-"),
                cell(
                        replica,
                        load -> load.backupCheckpointIndex() < 0 ? "-" : "%d".formatted(load.backupCheckpointIndex())),
                cell(replica, StatusPrinter::rows),
                cell(replica, load -> "%.1f".formatted(load.queriesPerSecond())),
                cell(replica, load -> size(load.diskBytes())),
                replica.health().problem().orElse("ok"));
    }

    static String rows(ReplicaLoad load) {
        return load.rows() == ReplicaLoad.UNKNOWN ? "-" : "%,d".formatted(load.rows());
    }

    private static String cell(Replica replica, Function<ReplicaLoad, String> text) {
        return replica.load().map(text).orElse("-");
    }

    static String size(long bytes) {
        if (bytes < 1 << 20) {
            return "%d KB".formatted((bytes + 1023) >> 10);
        }
        return bytes < 10L << 30 ? "%d MB".formatted(bytes >> 20) : "%d GB".formatted(bytes >> 30);
    }
}
