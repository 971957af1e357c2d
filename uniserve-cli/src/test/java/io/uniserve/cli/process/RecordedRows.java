package io.uniserve.cli.process;

import io.uniserve.api.Document;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.port.kv.KvOperators;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Rows of a {@link RecordedLoad} with consecutive numbers: each has a list of markers and an amount. Each phase has other rows, so that
 * lists stay short, with the same number per actor. Thread-safe.
 */
final class RecordedRows {
    /** Number of rows per phase. */
    static final int COUNT = 12;

    private final Partitioner partitioner;
    private final Map<Integer, String> keys = new ConcurrentHashMap<>();

    /** One shared text per marker, to save memory. */
    private final Map<String, String> markers = new ConcurrentHashMap<>();

    RecordedRows(Partitioner partitioner) {
        if (COUNT % partitioner.actors() != 0) {
            throw new IllegalArgumentException(COUNT + " rows are not the same for each of " + partitioner.actors());
        }
        this.partitioner = partitioner;
    }

    /** Scan for the rows of a phase. */
    static KvOperators.Scan scan(int phase) {
        return new KvOperators.Scan(prefix(phase), COUNT);
    }

    private static String prefix(int phase) {
        return "list-" + phase + "-";
    }

    int actors() {
        return partitioner.actors();
    }

    /** Actor of the row. */
    int actor(int row) {
        return row % actors();
    }

    String key(int row) {
        return keys.computeIfAbsent(row, number -> {
            int attempt = 0;
            String start = prefix(number / COUNT) + number % COUNT + "-";
            while (partitioner.actorOf(PartitionKey.of(start + attempt)) != actor(number)) {
                attempt++;
            }
            return start + attempt;
        });
    }

    private static int number(Document document) {
        String[] parts = String.valueOf(document.fields().get("id")).split("-");
        return Integer.parseInt(parts[1]) * COUNT + Integer.parseInt(parts[2]);
    }

    /** Returns the rows that append the marker to these lists. */
    List<Map<String, Object>> append(Collection<Integer> rows, String marker) {
        markers.put(marker, marker);
        List<Map<String, Object>> appends = new ArrayList<>();
        rows.forEach(row -> appends.add(Map.of("id", key(row), "value", marker)));
        return appends;
    }

    /** Returns the rows that add to these amounts. */
    List<Map<String, Object>> add(Map<Integer, Long> changes) {
        List<Map<String, Object>> adds = new ArrayList<>();
        changes.forEach((row, change) -> adds.add(Map.of("id", key(row), "amount", change)));
        return adds;
    }

    /** Returns the lists of a phase in these documents, including empty ones. */
    TreeMap<Integer, List<String>> lists(int phase, List<Document> documents) {
        TreeMap<Integer, List<String>> lists = all(phase, List.of());
        for (Document document : documents) {
            if (document.fields().get("values") instanceof List<?> found) {
                lists.put(
                        number(document),
                        found.stream()
                                .map(String::valueOf)
                                .map(marker -> markers.getOrDefault(marker, marker))
                                .toList());
            }
        }
        return lists;
    }

    /** Returns the amounts of a phase in these documents, 0 for missing ones. */
    TreeMap<Integer, Long> amounts(int phase, List<Document> documents) {
        TreeMap<Integer, Long> amounts = all(phase, 0L);
        for (Document document : documents) {
            if (document.fields().get("amount") instanceof Long amount) {
                amounts.put(number(document), amount);
            }
        }
        return amounts;
    }

    private static <V> TreeMap<Integer, V> all(int phase, V nothing) {
        TreeMap<Integer, V> all = new TreeMap<>();
        for (int row = 0; row < COUNT; row++) {
            all.put(phase * COUNT + row, nothing);
        }
        return all;
    }
}
