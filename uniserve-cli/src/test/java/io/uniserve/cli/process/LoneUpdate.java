package io.uniserve.cli.process;

import io.uniserve.model.RequestId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Update that one process sends, and perhaps another process again under the same id: it appends a marker to some lists.
 *
 * @param keys of the lists
 * @param large true for additional filler rows, so that its rows are staged
 */
record LoneUpdate(RequestId id, String marker, List<String> keys, boolean large) {
    static final String FUNCTION = "kv.append@1";
    static final int FILLINGS = 16;
    private static final int FILLING_BYTES = 24 << 10;

    LoneUpdate {
        keys = List.copyOf(keys);
    }

    /** Prefix of the keys of its filler rows. */
    String fillings() {
        return "filling-" + marker + "-";
    }

    List<Map<String, Object>> rows() {
        List<Map<String, Object>> rows = new ArrayList<>();
        keys.forEach(key -> rows.add(row(key, marker)));
        for (int i = 0; large && i < FILLINGS; i++) {
            rows.add(row(fillings() + i, "x".repeat(FILLING_BYTES)));
        }
        return rows;
    }

    /** A map in arbitrary order, which differs between processes: the document gives its fields an order. */
    private static Map<String, Object> row(String key, String value) {
        return Map.of("id", key, "value", value);
    }

    /** Arguments of the update for a command line. */
    List<String> words() {
        return List.of(
                Long.toString(id.clientHigh()),
                Long.toString(id.clientLow()),
                Long.toString(id.sequence()),
                marker,
                String.join(",", keys),
                Boolean.toString(large));
    }

    static LoneUpdate of(List<String> words) {
        RequestId id =
                new RequestId(Long.parseLong(words.get(0)), Long.parseLong(words.get(1)), Long.parseLong(words.get(2)));
        return new LoneUpdate(id, words.get(3), List.of(words.get(4).split(",")), Boolean.parseBoolean(words.get(5)));
    }
}
