package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows of {@code kv.compare-and-set@1}: a key, the expected document, and the new one. */
final class CompareAndSet {
    private static final String EXPECT = "expect";
    private static final String PUT = "put";

    private CompareAndSet() {}

    static void check(Document row) {
        row.partitionKey();
        for (String name : row.fields().keySet()) {
            if (!Set.of(row.keyField(), EXPECT, PUT).contains(name)) {
                throw invalid(
                        "field \"" + name + "\" is not known; give fields " + row.keyField() + ", expect and put");
            }
        }
        documentOf(row, EXPECT);
        documentOf(row, PUT);
    }

    /** Returns the document to store; empty for a deletion. */
    static Optional<Document> newDocument(Document row) {
        return documentOf(row, PUT);
    }

    /** Checks each row against the state after the rows before it. */
    static void checkCondition(KvActor actor, List<Document> rows) {
        Map<String, Optional<Document>> left = new HashMap<>();
        for (Document row : rows) {
            String key = KvActor.keyOf(row);
            Optional<Document> held = left.containsKey(key) ? left.get(key) : actor.get(key);
            if (!held.map(Document::fields).equals(documentOf(row, EXPECT).map(Document::fields))) {
                throw new UniserveException(
                        ErrorCode.CONFLICT,
                        "document \"" + row.fields().get(row.keyField()) + "\" "
                                + (held.isPresent() ? "differs from field \"expect\"" : "does not exist")
                                + "; read it again and retry with its new content");
            }
            left.put(key, newDocument(row));
        }
    }

    /** Returns the document with the fields of this side and the row's key; empty for null. */
    private static Optional<Document> documentOf(Document row, String name) {
        Object value = row.fields().get(name);
        if (!row.fields().containsKey(name) || value != null && !(value instanceof Map<?, ?>)) {
            throw invalid("field \"" + name + "\" must be a document's fields, or null for no document");
        }
        if (value == null) {
            return Optional.empty();
        }
        Object key = row.fields().get(row.keyField());
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(row.keyField(), key);
        ((Map<?, ?>) value).forEach((field, content) -> fields.put(String.valueOf(field), content));
        if (!Objects.equals(fields.get(row.keyField()), key)) {
            throw invalid("field \"" + name + "\" has another key than the row; leave it out");
        }
        return Optional.of(new Document(row.keyField(), fields));
    }

    private static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, "compare-and-set: " + message);
    }
}
