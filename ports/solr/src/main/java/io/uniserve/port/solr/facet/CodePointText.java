package io.uniserve.port.solr.facet;

import io.uniserve.codec.CodePoints;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Text whose natural order is by code point. It replaces Strings where Solr merges responses of shards by {@code compareTo}, although a
 * single core orders by UTF-8 bytes. Immutable.
 */
public record CodePointText(String text) implements CharSequence, Comparable<CodePointText> {
    /** Replaces the Strings with these names in a tree of lists and named values. */
    @SuppressWarnings("unchecked") // a named value has any type
    public static void replaceStrings(@Nullable Object tree, Predicate<? super String> names) {
        if (tree instanceof Iterable<?> parts) {
            parts.forEach(part -> replaceStrings(part, names));
        } else if (tree instanceof Map.Entry<?, ?> named) {
            if (!(named.getValue() instanceof String text)) {
                replaceStrings(named.getValue(), names);
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
