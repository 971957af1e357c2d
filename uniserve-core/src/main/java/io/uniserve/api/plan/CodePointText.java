package io.uniserve.api.plan;

import io.uniserve.codec.CodePoints;

/**
 * A text whose natural order is that of code points: in place of a String where an engine's library merges what actors answer by
 * {@code compareTo}, though one of its cores orders by UTF-8.
 */
public record CodePointText(String text) implements CharSequence, Comparable<CodePointText> {
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
