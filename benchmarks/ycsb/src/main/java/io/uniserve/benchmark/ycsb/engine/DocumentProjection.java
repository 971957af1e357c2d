package io.uniserve.benchmark.ycsb.engine;

import io.uniserve.api.Document;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes of documents that engines of whole documents need. */
final class DocumentProjection {
    private DocumentProjection() {}

    /** Returns the document with its key and these fields only; no fields: all. */
    static Document project(Document document, List<String> fields) {
        if (fields.isEmpty()) {
            return document;
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        kept.put(document.keyField(), document.fields().get(document.keyField()));
        for (String field : fields) {
            if (document.fields().containsKey(field)) {
                kept.put(field, document.fields().get(field));
            }
        }
        return new Document(document.keyField(), kept);
    }

    /** Returns the document with the fields of the row in place of its own. */
    static Document merge(Document document, Document row) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(document.fields());
        fields.putAll(row.fields());
        return new Document(document.keyField(), fields);
    }

    static String key(Document document) {
        return String.valueOf(document.fields().get(document.keyField()));
    }
}
