package io.uniserve.benchmark.chaos;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Lists of a table of the kv port, with consecutive numbers. Each generation has new lists, so that they stay short. Thread-safe. */
final class KvListAccess {
    /** Number of lists per generation. */
    static final int COUNT = 12;

    private static final RetrieveCall<KvOperators.Scan, List<Document>> SCAN =
            new RetrieveCall<>(KvOperators.SCAN.id(), KvOperators.SCAN.parameters(), KvOperators.SCAN.values());
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>(KvOperators.GET.id(), KvOperators.GET.parameters(), KvOperators.GET.values());

    /** One shared text per marker, to save memory. */
    private final Map<String, String> markers = new ConcurrentHashMap<>();

    private static String prefix(int generation) {
        return "list-" + generation + "-";
    }

    private static String key(int list) {
        return prefix(list / COUNT) + list % COUNT;
    }

    /** Returns the row that appends the marker to the list. */
    Map<String, Object> row(int list, String marker) {
        markers.put(marker, marker);
        return Map.of("id", key(list), "value", marker);
    }

    List<String> read(ClientTable table, int list, ReadMode mode, Duration deadline) {
        List<Document> found = table.key(key(list))
                .mode(mode)
                .deadline(deadline)
                .retrieve(
                        GET,
                        key(list),
                        parts -> parts.stream().flatMap(List::stream).toList());
        return found.isEmpty() ? List.of() : values(found.get(0));
    }

    /** Reads all lists of a generation, including empty ones. */
    TreeMap<Integer, List<String>> readAll(ClientTable table, int generation, Duration deadline) {
        TreeMap<Integer, List<String>> lists = new TreeMap<>();
        for (int list = 0; list < COUNT; list++) {
            lists.put(generation * COUNT + list, List.of());
        }
        List<Document> documents = table.all()
                .deadline(deadline)
                .retrieve(
                        SCAN,
                        new KvOperators.Scan(prefix(generation), COUNT),
                        parts -> parts.stream().flatMap(List::stream).toList());
        for (Document document : documents) {
            String key = String.valueOf(document.fields().get("id"));
            lists.put(
                    generation * COUNT
                            + Integer.parseInt(key.substring(prefix(generation).length())),
                    values(document));
        }
        return lists;
    }

    private List<String> values(Document document) {
        return document.fields().get("values") instanceof List<?> found
                ? found.stream()
                        .map(String::valueOf)
                        .map(marker -> markers.getOrDefault(marker, marker))
                        .toList()
                : List.of();
    }
}
