package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Client that reads the whole table repeatedly during a test. Each answer has each update in all of its actors or in none, and is no older
 * than the one before; or it is an error.
 */
final class AtomicWatch {
    private static final long PAUSE_NANOS = 10_000_000L;
    private static final long DEADLINE_SECONDS = 2;

    private final AtomicCluster atomic;
    private final AtomicReader reader;
    /** Per actor and text of its rows: the actors that all updates with this text have rows for. */
    private final Map<Integer, Map<String, Set<Integer>>> together = new TreeMap<>();

    private final List<String> wrong = new ArrayList<>();
    private int answers;
    private int updates;
    private boolean nothing;
    private long table;
    private long newest;

    AtomicWatch(AtomicCluster atomic) {
        this.atomic = atomic;
        this.reader = atomic.reader();
    }

    /** Records an update that is sent to a manager. */
    void sent(Map<Integer, String> rows) {
        rows.forEach((actor, text) -> together.computeIfAbsent(actor, each -> new TreeMap<>())
                .computeIfAbsent(text, each -> new TreeSet<>(rows.keySet()))
                .retainAll(rows.keySet()));
    }

    void start() {
        if (!(atomic.cluster.store.value(RegistryPaths.map(Cluster.T)) instanceof TableMap map)) {
            atomic.cluster.loop.after(PAUSE_NANOS, this::start); // it was dropped
            return;
        }
        long asked = map.tableId();
        reader.begin(DEADLINE_SECONDS, List.of(), outcome -> {
            if (outcome instanceof Outcome.Ok<SnapshotReadExecution.Result> ok) {
                judge(asked, ok.value());
            }
            atomic.cluster.loop.after(PAUSE_NANOS, this::start);
        });
    }

    private void judge(long asked, SnapshotReadExecution.Result read) {
        answers++;
        newest = asked == table ? newest : 0;
        table = asked;
        if (read.version() < newest) {
            wrong.add("version " + read.version() + " after " + newest);
        }
        newest = read.version();
        Map<Integer, Map<Long, String>> rows = new TreeMap<>();
        read.values().forEach((actor, value) -> rows.put(actor, byVersion(value.utf8())));
        rows.forEach((actor, versions) -> versions.forEach((version, text) -> whole(rows, actor, version, text)));
    }

    private static Map<Long, String> byVersion(String rows) {
        Map<Long, String> versions = new TreeMap<>();
        for (String row : rows.isEmpty() ? new String[0] : rows.split(",")) {
            int at = row.indexOf('=');
            versions.put(Long.parseLong(row.substring(0, at)), row.substring(at + 1));
        }
        return versions;
    }

    /** Checks that an update with this text for this actor is complete. */
    private void whole(Map<Integer, Map<Long, String>> rows, int actor, long version, String text) {
        updates++;
        Set<Integer> due = together.getOrDefault(actor, Map.of()).get(text);
        if (due == null) {
            wrong.add("actor " + actor + " has " + version + "=" + text + ", which no client sent");
            return;
        }
        rows.forEach((other, versions) -> {
            if (due.contains(other) && !versions.containsKey(version)) {
                wrong.add("version " + version + " is on actor " + actor + " and not on " + other + ": " + rows);
            }
        });
    }

    /** Expects that none of the updates becomes visible. */
    void seesNothing() {
        nothing = true;
    }

    /** Checks that all answers were right, and that there was at least one. */
    void ended() {
        atomic.cluster.loop.run(Cluster.SECOND / 10);
        assertThat(wrong).isEmpty();
        assertThat(answers).as("answers").isPositive();
        assertThat(updates == 0).as("saw %s rows", updates).isEqualTo(nothing);
    }
}
