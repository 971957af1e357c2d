package io.uniserve.benchmark.text;

import io.uniserve.api.Document;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Document of a corpus. Facets count {@code topic}, and sorting is by the length in characters. */
record TextDocument(String id, String topic, String text) {
    /** Returns its fields, as both sides store it. */
    Map<String, @Nullable Object> fields(String asId) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", asId);
        fields.put("topic_s", topic);
        fields.put("length_i", (long) text.length());
        fields.put("text", text);
        return fields;
    }

    Document row() {
        return new Document("id", fields(id));
    }

    /** Returns the approximate size of the fields in bytes; the corpora are English. */
    long size() {
        return id.length() + topic.length() + text.length() + 8L;
    }
}
