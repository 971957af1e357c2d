package io.uniserve.port.solr.table;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
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
 * What ports with flat documents ask of a field's value: it is one value, a list of values, or, in a document that changes
 * fields of one that is there, a map of one operation such as {@code {"inc": 5}}.
 */
public final class FieldValues {
    /** Whole numbers up to here are doubles of their own. */
    private static final double EXACT_DOUBLE_MAX = 1L << 53;

    private FieldValues() {}

    /** INVALID_ROW with this message, fit to be printed. */
    public static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, Printable.line(message));
    }

    /** The values as texts, without nulls. */
    public static List<String> texts(@Nullable Object value) {
        List<?> all = value instanceof List<?> list ? list : Arrays.asList(value);
        return all.stream().filter(Objects::nonNull).map(Object::toString).toList();
    }

    /** As {@link #texts}, but one value or null is not a list. */
    public static @Nullable Object plain(@Nullable Object value) {
        return value == null ? null : value instanceof List ? texts(value) : value.toString();
    }

    /** All fields, values as lists of {@link #texts} and operands of operations {@link #plain}. */
    public static Map<String, Object> fields(Document row) {
        return fields(row, name -> false);
    }

    /**
     * The same where 7.0 is written as 7.
     *
     * @param whole whether a field takes whole numbers alone
     */
    public static Map<String, Object> fields(Document row, Predicate<String> whole) {
        Map<String, Object> fields = new LinkedHashMap<>();
        row.fields().forEach((name, given) -> {
            Object value = hasDouble(given) && whole.test(name) ? whole(given) : given;
            if (value instanceof Map<?, ?> operations) {
                Map<Object, @Nullable Object> plain = new LinkedHashMap<>();
                operations.forEach((operation, operand) -> plain.put(operation, plain(operand)));
                fields.put(name, plain);
            } else {
                fields.put(name, texts(value));
            }
        });
        return fields;
    }

    private static boolean hasDouble(@Nullable Object value) {
        return value instanceof Double
                || (value instanceof List<?> list && list.stream().anyMatch(FieldValues::hasDouble))
                || (value instanceof Map<?, ?> map && map.values().stream().anyMatch(FieldValues::hasDouble));
    }

    private static @Nullable Object whole(@Nullable Object value) {
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) <= EXACT_DOUBLE_MAX) {
            return number.longValue();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> all = new ArrayList<>();
            list.forEach(one -> all.add(whole(one)));
            return all;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> all = new LinkedHashMap<>();
            map.forEach((name, one) -> all.put(name, whole(one)));
            return all;
        }
        return value;
    }

    /** A field that must be a text of its own, or a number, which is the text that it is written as. */
    public static String requireId(Document row, String field) {
        return row.fields().get(field) instanceof Number number ? number.toString() : requireText(row, field);
    }

    /** A field that must be a text of its own, such as a key; INVALID_ROW names it. */
    public static String requireText(Document row, String field) {
        if (row.fields().get(field) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw invalid("document's field \"" + field + "\" is " + row.fields().get(field) + "; give it a text");
    }

    /** The key of a document that must be keyed by this field, a text. */
    public static String requireKey(Document row, String keyField) {
        if (!row.keyField().equals(keyField)) {
            throw invalid("document's key field is \"" + row.keyField() + "\"; the table's is \"" + keyField + '"');
        }
        return requireText(row, keyField);
    }

    /**
     * What the schema says of a field; INVALID_ROW where it says nothing.
     *
     * @param where begins the message
     */
    public static <T> T requireKnown(String where, String field, @Nullable T known) {
        if (known == null) {
            throw invalid(where + "field \"" + field + "\" is not in the schema; add it to the configset, or"
                    + " use one of its fields, such as *_s");
        }
        return known;
    }

    /** Whether some field has an operation, so that the document changes another. */
    public static boolean isChange(Document row) {
        return row.fields().values().stream().anyMatch(Map.class::isInstance);
    }

    /** The operation of a field, or {@code set} where it has a value; INVALID_ROW where it is nested or has several. */
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
     * Refuses what a field does not take, with INVALID_ROW: an operation, a boolean other than true and false, a date or id that
     * {@link #isMade}.
     *
     * @param where begins the message
     * @param many whether the field has many values
     */
    public static void check(String where, String field, Document row, boolean many, boolean date, boolean bool) {
        String operation = operation(row, field);
        String named = where + "field \"" + field + "\" ";
        if (!operation.matches(many ? "set|add|add-distinct|remove" : date ? "set" : "set|inc")) {
            throw invalid(named + "does not take \"" + operation + "\"; set it");
        }
        for (String text : texts(operand(row.fields().get(field)))) {
            if (bool && !text.matches("true|false")) {
                throw invalid(named + "is \"" + text + "\"; use true or false");
            }
            if (date && isMade(text)) {
                throw invalid(named + "is \"" + text + "\", which is made when it is read and differs between replicas;"
                        + " give it a value");
            }
        }
    }

    /** Whether a text stands for a value that is made when it is read: NOW for the time, NEW or nothing for another id. */
    public static boolean isMade(@Nullable String text) {
        return text != null && (text.isEmpty() || text.startsWith("NOW") || text.equals("NEW"));
    }

    /** What an operation gets, or the value. */
    public static @Nullable Object operand(@Nullable Object value) {
        return value instanceof Map<?, ?> map && map.size() == 1
                ? map.values().iterator().next()
                : value;
    }
}
