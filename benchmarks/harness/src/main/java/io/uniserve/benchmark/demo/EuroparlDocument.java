package io.uniserve.benchmark.demo;

import io.uniserve.api.Document;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Speech of the European Parliament: one line of the corpus. */
public record EuroparlDocument(String id, String title, int year, String text) {
    /** Key field of a document. */
    public static final String KEY_FIELD = "id";

    /** Returns the row for the Solr port. */
    public Document row() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(KEY_FIELD, id);
        fields.put("title_s", title);
        fields.put("year_i", (long) year);
        fields.put("text", text);
        return new Document(KEY_FIELD, fields);
    }
}
