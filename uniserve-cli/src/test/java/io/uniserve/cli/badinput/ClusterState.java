package io.uniserve.cli.badinput;

import io.uniserve.client.UniserveClient;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What bad input must not change.
 *
 * @param tables definitions and maps: epochs, primaries, in-sync sets
 * @param replicas by server and replica: epoch, role, last entry of the log, last entry applied, rows
 * @param contents by table, every row, as a query shows it
 */
record ClusterState(List<TableRoute> tables, List<String> replicas, Map<String, String> contents) {
    static ClusterState of(UniserveClient client) {
        ClusterStatus status = client.admin().status();
        List<String> replicas = new ArrayList<>();
        status.loads()
                .forEach(load -> load.replicas()
                        .forEach(replica ->
                                replicas.add(load.server() + " " + replica.key() + " epoch " + replica.epoch() + " "
                                        + replica.role() + " last " + replica.lastIndex() + " behind "
                                        + (replica.lastIndex() - replica.appliedIndex()) + " rows " + replica.rows())));
        replicas.sort(String::compareTo);
        List<TableRoute> tables = client.admin().listTables();
        Map<String, String> contents = new TreeMap<>();
        for (TableRoute table : tables) {
            String name = table.meta().name().value();
            String all = table.meta().port().equals("solr") ? "q=*:*&rows=1000&sort=id asc" : "scan 10000";
            contents.put(name, client.query(name, all).body().utf8());
        }
        return new ClusterState(tables, List.copyOf(replicas), contents);
    }

    /** True when nothing changes by itself any more: every replica is in sync and has applied all that it has logged. */
    boolean settled() {
        return replicas.stream().allMatch(replica -> replica.contains(" behind 0 "))
                && tables.stream()
                        .allMatch(table -> table.map().actors().stream()
                                .allMatch(actor -> actor.begun()
                                        && actor.isr().size() == table.meta().rf()
                                        && actor.learners().isEmpty()
                                        && actor.fencing().isEmpty()));
    }
}
