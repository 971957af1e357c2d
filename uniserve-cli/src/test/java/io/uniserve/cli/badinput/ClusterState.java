package io.uniserve.cli.badinput;

import static org.awaitility.Awaitility.await;

import io.uniserve.client.UniserveClient;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * State that bad input must not change.
 *
 * @param tables definitions and maps: epochs, primaries, in-sync sets
 * @param replicas by server and replica: epoch, role, last entry of the log, last entry applied, rows
 * @param rows by table id, the rows of all its replicas together, as reported by their servers
 * @param contents by table, all rows in a query
 */
record ClusterState(
        List<TableRoute> tables, List<String> replicas, Map<Long, Long> rows, Map<String, String> contents) {
    static ClusterState of(UniserveClient client) {
        ClusterStatus status = client.admin().status();
        List<String> replicas = new ArrayList<>();
        Map<Long, Long> rows = new TreeMap<>();
        status.loads()
                .forEach(load -> load.replicas().forEach(replica -> {
                    replicas.add(load.server() + " " + replica.key() + " epoch " + replica.epoch() + " "
                            + replica.role() + " last " + replica.lastIndex() + " behind "
                            + (replica.lastIndex() - replica.appliedIndex()) + " rows " + replica.rows());
                    rows.merge(replica.key().tableId(), replica.rows(), Long::sum);
                }));
        replicas.sort(String::compareTo);
        List<TableRoute> tables = client.admin().listTables();
        Map<String, String> contents = new TreeMap<>();
        for (TableRoute table : tables) {
            String name = table.meta().name().value();
            String all = table.meta().port().equals("solr") ? "q=*:*&rows=1000&sort=id asc" : "scan 10000";
            contents.put(name, client.query(name, all).body().utf8());
        }
        return new ClusterState(tables, List.copyOf(replicas), rows, contents);
    }

    /** Returns the state after it has settled. */
    static ClusterState settled(UniserveClient client) {
        return await().pollDelay(Duration.ZERO)
                .atMost(Duration.ofMinutes(1))
                .until(() -> of(client), ClusterState::isSettled);
    }

    /**
     * True if every replica is in sync, has applied its whole log, and has reported its rows. A server with a slow engine reports its
     * earlier count, so the reported number may be older than that of queries.
     */
    private boolean isSettled() {
        return replicas.stream().allMatch(replica -> replica.contains(" behind 0 "))
                && tables.stream().allMatch(this::rowsTold)
                && tables.stream()
                        .allMatch(table -> table.map().actors().stream()
                                .allMatch(actor -> actor.epochStarted()
                                        && actor.isr().size() == table.meta().rf()
                                        && actor.learners().isEmpty()
                                        && actor.fencing().isEmpty()));
    }

    private boolean rowsTold(TableRoute table) {
        long shown = contents.get(table.meta().name().value()).split("\"id\"", -1).length - 1L;
        return rows.getOrDefault(table.meta().tableId(), 0L)
                == shown * table.meta().rf();
    }
}
