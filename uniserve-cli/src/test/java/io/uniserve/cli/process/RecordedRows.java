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
 * The rows of a {@link RecordedLoad}, numbered through: each has a list of markers and an amount. There are others every phase,
 * so that lists stay short; of a phase every actor has as many. Safe for use by several threads.
 */
final class RecordedRows {
    /** Rows of a phase. */
    static final int COUNT = 12;

    private final Partitioner partitioner;
    private final Map<Integer, String> keys = new ConcurrentHashMap<>();

    /** One text for each marker, however often it is read. */
    private final Map<String, String> markers = new ConcurrentHashMap<>();

    RecordedRows(Partitioner partitioner) {
        if (COUNT % partitioner.actors() != 0) {
            throw new IllegalArgumentException(COUNT + " rows are not the same for each of " + partitioner.actors());
        }
        this.partitioner = partitioner;
    }

    /** Finds the rows of a phase. */
    static KvOperators.Scan scan(int phase) {
        return new KvOperators.Scan(prefix(phase), COUNT);
    }

    private static String prefix(int phase) {
        return "list-" + phase + "-";
    }

    int actors() {
        return partitioner.actors();
    }

    /** The actor that has the row. */
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

    /** What appends the marker to these rows' lists. */
    List<Map<String, Object>> append(Collection<Integer> rows, String marker) {
        markers.put(marker, marker);
        List<Map<String, Object>> appends = new ArrayList<>();
        rows.forEach(row -> appends.add(Map.of("id", key(row), "value", marker)));
        return appends;
    }

    /** What adds to these rows' amounts. */
    List<Map<String, Object>> add(Map<Integer, Long> changes) {
        List<Map<String, Object>> adds = new ArrayList<>();
        changes.forEach((row, change) -> adds.add(Map.of("id", key(row), "amount", change)));
        return adds;
    }

    /** The lists of a phase in these documents, the empty ones too. */
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

    /** The amounts of a phase in these documents, 0 where there is none. */
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
