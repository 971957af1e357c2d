package io.uniserve.api;

import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.PartitionKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The standard row: named fields in order. A value is null, String, Long, Double, Boolean, or a List or Map (with String
 * keys) of these. Fields of a {@link java.util.HashMap}, a {@link java.util.concurrent.ConcurrentHashMap} or a {@link Map#of} are in the order of their names, as those maps have none that another process has too. A port may define rows of its own; a document needs nothing on the client but this class.
 *
 * @param keyField the field that is the partition key; its value is a String or a Long
 */
public record Document(String keyField, Map<String, @Nullable Object> fields) implements Row {
    /** Reads and writes documents, bounded by {@link Limits#DOCUMENT_DEPTH_MAX} and {@link Limits#DOCUMENT_FIELDS_MAX}. */
    public static final Codec<Document> CODEC = new DocumentCodec();

    public Document {
        fields = kept(fields);
        if (fields.size() > Limits.DOCUMENT_FIELDS_MAX) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "document has " + fields.size() + " fields, at most " + Limits.DOCUMENT_FIELDS_MAX);
        }
    }

    /** The fields as they are now, to which nobody can add, and from which nobody can take. */
    private static Map<String, @Nullable Object> kept(Map<String, @Nullable Object> fields) {
        if (fields instanceof CompactFieldMap) {
            return fields;
        }
        CompactFieldMap.Filler kept = new CompactFieldMap.Filler(fields.size());
        Map<?, ?> given =
                FieldOrder.of(fields); // of any names: those that are no texts are refused when they are written
        for (Map.Entry<?, ?> field : given.entrySet()) {
            kept.put(field.getKey(), field.getValue());
        }
        return kept.done();
    }

    /** The same with a number as key given as the text that it is written as, for an engine whose keys are texts. */
    public Document withTextKey() {
        if (!(fields.get(keyField) instanceof Number number)) {
            return this;
        }
        Map<String, @Nullable Object> texts = new LinkedHashMap<>(fields);
        texts.put(keyField, number.toString());
        return new Document(keyField, texts);
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
