package io.uniserve.cli.trash;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code uniserve trash list}. */
@Command(
        name = "list",
        description =
                "Lists the replicas in servers' trash, oldest first, with the reason and the end of their retention.",
        footer = {"  uniserve trash list", "  uniserve trash list --server 5345c4a8 --table speeches -o json"})
final class TrashListCommand extends ClientCommand {
    @Mixin
    private TrashSelectionOptions selection = new TrashSelectionOptions();

    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            Map<ServerId, TrashReport> reports = selection.reports(cluster);
            if (global().isJson()) {
                List<Map<String, Object>> servers = new ArrayList<>();
                reports.forEach((server, report) -> servers.add(json(server, report)));
                console().json(servers);
            } else {
                print(reports);
            }
        }
        return ExitCode.OK;
    }

    private void print(Map<ServerId, TrashReport> reports) {
        TextTable lines =
                new TextTable("SERVER", "ENTRY", "TABLE", "ACTOR", "EPOCH", "LAST INDEX", "SIZE", "KEPT UNTIL");
        List<String> more = new ArrayList<>();
        boolean any = false;
        for (Map.Entry<ServerId, TrashReport> of : reports.entrySet()) {
            String server = ServerNames.shortName(of.getKey());
            for (TrashEntry entry : of.getValue().entries()) {
                any = true;
                lines.row(
                        server,
                        entry.id(),
                        entry.table().isEmpty() ? "-" : entry.table(),
                        entry.key().actor(),
                        entry.epoch(),
                        entry.lastIndex(),
                        (entry.bytes() + 1023) / 1024 + " KB",
                        Instant.ofEpochMilli(entry.keptUntilMs()));
                more.add(entry.id() + ": " + entry.reason());
            }
            List<ReplicaKey> held = of.getValue().heldReplicas();
            if (!held.isEmpty()) {
                more.add("server " + server + ": all of its " + held.size()
                        + " replicas are of tables that ZooKeeper does not" + " have, e.g. " + held.get(0)
                        + "; they stay in place");
            }
        }
        if (any) {
            lines.print(console());
        } else {
            console().println("the trash is empty");
        }
        more.forEach(console()::println);
    }

    private static Map<String, Object> json(ServerId server, TrashReport report) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("server", server.value());
        object.put("bytes", report.bytes());
        object.put("bytes_max", report.bytesMax());
        object.put(
                "held", report.heldReplicas().stream().map(ReplicaKey::toString).toList());
        object.put(
                "entries", report.entries().stream().map(TrashListCommand::json).toList());
        return object;
    }

    private static Map<String, Object> json(TrashEntry entry) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("entry", entry.id());
        object.put("table", entry.table());
        object.put("table_id", entry.key().tableId());
        object.put("actor", entry.key().actor());
        object.put("epoch", entry.epoch());
        object.put("last_index", entry.lastIndex());
        object.put("bytes", entry.bytes());
        object.put("trashed", Instant.ofEpochMilli(entry.trashedMs()).toString());
        object.put("kept_until", Instant.ofEpochMilli(entry.keptUntilMs()).toString());
        object.put("reason", entry.reason());
        return object;
    }
}
