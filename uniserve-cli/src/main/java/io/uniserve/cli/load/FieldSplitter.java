package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fields whose texts are lists of values with a separator, as with Solr's {@code f.FIELD.split} and {@code f.FIELD.separator}. Immutable.
 *
 * @param separators by field name
 */
record FieldSplitter(Map<String, String> separators) {
    static final FieldSplitter NONE = new FieldSplitter(Map.of());

    FieldSplitter {
        separators = Map.copyOf(separators);
    }

    /** Parses options {@code FIELD=SEPARATOR}. Fails with INVALID_ARGUMENT for the key field, which has one value. */
    static FieldSplitter of(Map<String, String> options, String keyField) {
        options.forEach((field, separator) -> {
            if (separator.isEmpty() || field.equals(keyField)) {
                throw UniserveException.invalid("--split " + field + "=" + separator + ": "
                        + (separator.isEmpty() ? "give a separator" : "the key field has one value"));
            }
        });
        return new FieldSplitter(options);
    }

    /** Returns the row with lists; empty values are dropped. */
    Document split(Document row) {
        if (separators.isEmpty()) {
            return row;
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(row.fields());
        separators.forEach((field, separator) -> {
            if (fields.get(field) instanceof String text) {
                fields.put(field, values(field, text, separator));
            }
        });
        return new Document(row.keyField(), fields);
    }

    private static List<Object> values(String field, String text, String separator) {
        List<Object> values = new ArrayList<>();
        int from = 0;
        while (from <= text.length()) {
            int found = text.indexOf(separator, from);
            int to = found < 0 ? text.length() : found;
            if (to > from) {
                if (values.size() == Limits.ROW_TEXT_VALUES_MAX) {
                    throw new UniserveException(
                            ErrorCode.TOO_LARGE,
                            "field \"%s\" has more than %,d values: split it into several rows"
                                    .formatted(field, Limits.ROW_TEXT_VALUES_MAX));
                }
                values.add(CsvRowSource.value(text.substring(from, to)));
            }
            from = to + separator.length();
        }
        return values;
    }
}
