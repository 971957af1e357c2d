package io.uniserve.cli.bench.text;

import io.uniserve.api.Document;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A document of a corpus: {@code topic} is what it is counted by, its length in characters what it is sorted by. */
record TextDocument(String id, String topic, String text) {
    /** Field by field, as both sides store it. */
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

    /** Bytes of the fields, about; the corpora are English. */
    long size() {
        return id.length() + topic.length() + text.length() + 8L;
    }
}
