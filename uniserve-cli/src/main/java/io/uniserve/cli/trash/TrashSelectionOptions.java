package io.uniserve.cli.trash;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import io.uniserve.model.registry.ServerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select servers and entries. */
final class TrashSelectionOptions {
    @Option(names = "--server", paramLabel = "SERVER", description = "Only of this server, as status shows it.")
    private @Nullable String server;

    @Option(names = "--table", paramLabel = "TABLE", description = "Only replicas of this table.")
    private @Nullable String table;

    boolean byTable() {
        return table != null;
    }

    /** Returns the trash of each selected server, with the selected entries. A server that does not answer fails the command. */
    Map<ServerId, TrashReport> reports(ClusterClient cluster) {
        List<ServerId> live =
                cluster.servers().stream().map(ServerRecord::id).sorted().toList();
        List<ServerId> chosen = server == null ? live : List.of(ServerNames.findByName("--server", server, live));
        String name = table == null ? null : new TableName(table).value();
        Map<ServerId, TrashReport> reports = new TreeMap<>();
        for (ServerId id : chosen) {
            TrashReport report = cluster.trash(id);
            List<TrashEntry> entries = report.entries().stream()
                    .filter(entry -> name == null || entry.table().equals(name))
                    .toList();
            reports.put(id, new TrashReport(entries, report.heldReplicas(), report.bytesMax()));
        }
        return reports;
    }

    /**
     * Returns the selected entries: those with these names, or all without names. Fails with INVALID_ARGUMENT for a name without an entry.
     */
    List<TrashItem> entries(ClusterClient cluster, List<String> names) {
        List<TrashItem> found = new ArrayList<>();
        reports(cluster)
                .forEach((id, report) -> report.entries().forEach(entry -> found.add(new TrashItem(id, entry))));
        if (names.isEmpty()) {
            return found;
        }
        List<TrashItem> named = new ArrayList<>();
        for (String name : names) {
            named.add(found.stream()
                    .filter(one -> one.entry().id().equals(name))
                    .findFirst()
                    .orElseThrow(() -> UniserveException.invalid("ENTRY " + name
                            + ": no selected live server has it in its trash; uniserve"
                            + " trash list shows the entries")));
        }
        return named;
    }
}
