package io.uniserve.codec;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Comparator;
import java.util.Locale;

/**
 * Text as code points: its order, which is that of its UTF-8, and its lone surrogates, which UTF-8 has no bytes for. {@link
 * String#compareTo} is another order: it puts what is beyond U+FFFF before U+E000.
 */
public final class CodePoints {
    /** By code point: the order of engines that compare UTF-8. For text without lone surrogates. */
    public static final Comparator<String> ORDER = CodePoints::compare;

    /** What surrogates gain, and what the characters above them lose, so that surrogates are the greatest. */
    private static final int SURROGATES_UP = 0x2000;

    private static final int OTHERS_DOWN = 0x800;

    private CodePoints() {}

    /** Below, above or equal to 0, as the first is before, behind or equal to the second by code point. */
    public static int compare(String one, String other) {
        int both = Math.min(one.length(), other.length());
        for (int i = 0; i < both; i++) {
            char first = one.charAt(i);
            char second = other.charAt(i);
            if (first != second) {
                return rank(first) - rank(second);
            }
        }
        return one.length() - other.length();
    }

    private static int rank(char c) {
        if (c < Character.MIN_SURROGATE) {
            return c;
        }
        return c <= Character.MAX_SURROGATE ? c + SURROGATES_UP : c - OTHERS_DOWN;
    }

    /**
     * Refuses a text with a lone surrogate, which would be written as another text.
     *
     * @param code the error's code
     * @param name what the text is, for the message
     * @return the text
     */
    public static String checked(ErrorCode code, String name, String text) {
        int at = loneSurrogate(text);
        if (at >= 0) {
            String half = Integer.toHexString(text.charAt(at)).toUpperCase(Locale.ROOT);
            throw new UniserveException(
                    code,
                    name + " has a lone surrogate, U+" + half + ", at character " + at
                            + ": no UTF-8 has it; send whole code points");
        }
        return text;
    }

    /** Where the first surrogate without its other half is; -1 for none. */
    private static int loneSurrogate(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                if (Character.isLowSurrogate(c) || i + 1 == length || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }
}
