package io.uniserve.port.solr.facet;

import io.uniserve.codec.CodePoints;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A text whose natural order is that of code points: in place of a String where an engine's library merges what actors answer by
 * {@code compareTo}, though one of its cores orders by UTF-8.
 */
public record CodePointText(String text) implements CharSequence, Comparable<CodePointText> {
    /** Puts such texts in place of Strings that these names have in an engine's tree of lists and named values. */
    @SuppressWarnings("unchecked") // a named value is one of anything
    public static void put(@Nullable Object tree, Predicate<? super String> names) {
        if (tree instanceof Iterable<?> parts) {
            parts.forEach(part -> put(part, names));
        } else if (tree instanceof Map.Entry<?, ?> named) {
            if (!(named.getValue() instanceof String text)) {
                put(named.getValue(), names);
            } else if (names.test(String.valueOf(named.getKey()))) {
                ((Map.Entry<?, Object>) named).setValue(new CodePointText(text));
            }
        }
    }

    @Override
    public int compareTo(CodePointText other) {
        return CodePoints.compare(text, other.text);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
