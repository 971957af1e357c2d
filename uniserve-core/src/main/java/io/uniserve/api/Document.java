package io.uniserve.api;

import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.time.RowTime;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Standard row of Uniserve: a document with named fields in order, and a key field. Clients need no other class to write one.
 *
 * <p>A value is null, String, Long, Double, Boolean, or a List or Map with String keys of these. Fields from a
 * {@link java.util.HashMap}, a {@link java.util.concurrent.ConcurrentHashMap} or {@link Map#of} are sorted by name, because the order of
 * these maps differs between processes. All other maps keep their own order.
 *
 * <p>Immutable at the top level: the constructor copies the map of fields, but not lists and maps inside of it.
 *
 * <p>Errors: INVALID_ROW for too many fields, for a missing or invalid key, and, when the document is encoded, for other types of values.
 *
 * <pre>{@code
 * Document row = new Document("id", Map.of("id", "42", "text", "a red fox", "year", 2024L));
 * row.partitionKey(); // of "42"
 * }</pre>
 *
 * @param keyField name of the field that holds the partition key; its value is a String or a Long
 * @param fields values by name
 */
public record Document(String keyField, Map<String, @Nullable Object> fields) implements Row {
    /** Codec for documents, bounded by {@link Limits#DOCUMENT_DEPTH_MAX} and {@link Limits#DOCUMENT_FIELDS_MAX}. */
    public static final Codec<Document> CODEC = new DocumentCodec();

    public Document {
        fields = copyFields(fields);
        if (fields.size() > Limits.DOCUMENT_FIELDS_MAX) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "document has " + fields.size() + " fields, at most " + Limits.DOCUMENT_FIELDS_MAX);
        }
    }

    /** Returns an unmodifiable copy of the fields. */
    private static Map<String, @Nullable Object> copyFields(Map<String, @Nullable Object> fields) {
        if (fields instanceof CompactFieldMap) {
            return fields;
        }
        CompactFieldMap.Builder kept = new CompactFieldMap.Builder(fields.size());
        Map<?, ?> given = FieldSorter.sortedByName(fields); // keys that are not Strings fail later, in the codec
        for (Map.Entry<?, ?> field : given.entrySet()) {
            kept.put(field.getKey(), field.getValue());
        }
        return kept.build();
    }

    /** Returns the document with a numeric key converted to its text, for engines whose keys are texts. */
    public Document withTextKey() {
        if (!(fields.get(keyField) instanceof Number number)) {
            return this;
        }
        Map<String, @Nullable Object> texts = new LinkedHashMap<>(fields);
        texts.put(keyField, number.toString());
        return new Document(keyField, texts);
    }

    /** Time in the column: a Long of milliseconds since 1970, or a text of ISO-8601. */
    @Override
    public long time(String column) {
        return RowTime.parse(column, fields.get(column));
    }

    @Override
    public PartitionKey partitionKey() {
        Object key = fields.get(keyField);
        if (key instanceof String text) {
            try {
                return PartitionKey.of(text);
            } catch (UniserveException e) {
                throw new UniserveException(e.code(), "document's key field \"" + keyField + "\": " + e.reason(), e);
            }
        }
        if (key instanceof Long number) {
            return PartitionKey.of(number);
        }
        throw new UniserveException(
                ErrorCode.INVALID_ROW,
                "document's key field \"" + keyField + "\" "
                        + (key == null ? "is missing" : "is a " + key.getClass().getSimpleName())
                        + "; it must be a text or a whole number");
    }
}
