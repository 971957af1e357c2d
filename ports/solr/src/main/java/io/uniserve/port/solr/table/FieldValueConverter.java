package io.uniserve.port.solr.table;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Helpers for fields of flat documents. A field has one value, a list of values, or, in a document that changes another one, a map with one
 * operation such as {@code {"inc": 5}}. Errors are INVALID_ROW. Stateless.
 */
public final class FieldValueConverter {
    /** Up to this magnitude every integer has a double of its own. */
    private static final double EXACT_DOUBLE_MAX = 1L << 53;

    private FieldValueConverter() {}

    /** Creates an INVALID_ROW error with the message as one printable line. */
    public static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, PrintableText.line(message));
    }

    /** Converts the values to texts; omits nulls. */
    public static List<String> texts(@Nullable Object value) {
        List<?> all = value instanceof List<?> list ? list : Arrays.asList(value);
        return all.stream().filter(Objects::nonNull).map(Object::toString).toList();
    }

    /** Converts values to texts like {@link #texts}, but returns a single value or null without a list. */
    public static @Nullable Object textOrTexts(@Nullable Object value) {
        return value == null ? null : value instanceof List ? texts(value) : value.toString();
    }

    /** Returns all fields: values by {@link #texts}, operands of operations by {@link #textOrTexts}. */
    public static Map<String, Object> fields(Document row) {
        return fields(row, name -> false);
    }

    /**
     * Returns all fields like {@link #fields(Document)}, with 7.0 converted to 7 in integer fields.
     *
     * @param whole whether a field accepts integers only
     */
    public static Map<String, Object> fields(Document row, Predicate<String> whole) {
        Map<String, Object> fields = new LinkedHashMap<>();
        row.fields().forEach((name, given) -> {
            Object value = hasDouble(given) && whole.test(name) ? withoutFraction(given) : given;
            if (value instanceof Map<?, ?> operations) {
                Map<Object, @Nullable Object> plain = new LinkedHashMap<>();
                operations.forEach((operation, operand) -> plain.put(operation, textOrTexts(operand)));
                fields.put(name, plain);
            } else {
                fields.put(name, texts(value));
            }
        });
        return fields;
    }

    private static boolean hasDouble(@Nullable Object value) {
        return value instanceof Double
                || (value instanceof List<?> list && list.stream().anyMatch(FieldValueConverter::hasDouble))
                || (value instanceof Map<?, ?> map && map.values().stream().anyMatch(FieldValueConverter::hasDouble));
    }

    private static @Nullable Object withoutFraction(@Nullable Object value) {
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) <= EXACT_DOUBLE_MAX) {
            return number.longValue();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> all = new ArrayList<>();
            list.forEach(one -> all.add(withoutFraction(one)));
            return all;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> all = new LinkedHashMap<>();
            map.forEach((name, one) -> all.put(name, withoutFraction(one)));
            return all;
        }
        return value;
    }

    /** Returns a field that must be a non-empty text or a number, as text. */
    public static String requireId(Document row, String field) {
        return row.fields().get(field) instanceof Number number ? number.toString() : requireText(row, field);
    }

    /** Returns a field that must be a non-empty text, such as a key. */
    public static String requireText(Document row, String field) {
        if (row.fields().get(field) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw invalid("document's field \"" + field + "\" is " + row.fields().get(field) + "; give it a text");
    }

    /** Returns the key of a document whose key field must be this field, with a text. */
    public static String requireKey(Document row, String keyField) {
        if (!row.keyField().equals(keyField)) {
            throw invalid("document's key field is \"" + row.keyField() + "\"; the table's is \"" + keyField + '"');
        }
        return requireText(row, keyField);
    }

    /**
     * Returns the schema's definition of a field.
     *
     * @param where prefix of the message
     * @param known the definition; null if the schema has none
     */
    public static <T> T requireKnown(String where, String field, @Nullable T known) {
        if (known == null) {
            throw invalid(where + "field \"" + field + "\" is not in the schema; add it to the configset, or"
                    + " use one of its fields, such as *_s");
        }
        return known;
    }

    /** Returns whether a field has an operation, so that the document changes another one. */
    public static boolean isPartialUpdate(Document row) {
        return row.fields().values().stream().anyMatch(Map.class::isInstance);
    }

    /** Returns the operation of a field; {@code set} for a value. Nested values and several operations are errors. */
    public static String operation(Document row, String field) {
        Object value = row.fields().get(field);
        Object operand = value instanceof Map<?, ?> map && map.size() == 1
                ? map.values().iterator().next()
                : value;
        boolean nested = operand instanceof List<?> list
                ? list.stream().anyMatch(one -> one instanceof List || one instanceof Map)
                : operand instanceof Map;
        if (nested) {
            throw invalid(
                    "field \"" + field + "\" is nested; flatten it into fields of its own, or give one operation");
        }
        return value instanceof Map<?, ?> map
                ? String.valueOf(map.keySet().iterator().next())
                : "set";
    }

    /**
     * Rejects an operation that the field does not support, a boolean other than true and false, and a date or id for which {@link #isGeneratedOnRead}
     * holds.
     *
     * @param where prefix of the message
     * @param many whether the field has many values
     * @param date whether the field is a date or an id
     * @param bool whether the field is a boolean
     */
    public static void checkValue(String where, String field, Document row, boolean many, boolean date, boolean bool) {
        String operation = operation(row, field);
        String named = where + "field \"" + field + "\" ";
        if (!operation.matches(many ? "set|add|add-distinct|remove" : date ? "set" : "set|inc")) {
            throw invalid(named + "does not take \"" + operation + "\"; set it");
        }
        for (String text : texts(operand(row.fields().get(field)))) {
            if (bool && !text.matches("true|false")) {
                throw invalid(named + "is \"" + text + "\"; use true or false");
            }
            if (date && isGeneratedOnRead(text)) {
                throw invalid(named + "is \"" + text + "\", which is made when it is read and differs between replicas;"
                        + " give it a value");
            }
        }
    }

    /** Returns whether the engine would generate the value when it reads the text: NOW for the time, NEW or an empty text for an id. */
    public static boolean isGeneratedOnRead(@Nullable String text) {
        return text != null && (text.isEmpty() || text.startsWith("NOW") || text.equals("NEW"));
    }

    /** Returns the operand of an operation, or the value itself. */
    public static @Nullable Object operand(@Nullable Object value) {
        return value instanceof Map<?, ?> map && map.size() == 1
                ? map.values().iterator().next()
                : value;
    }
}
