package io.uniserve.codec;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Comparator;
import java.util.Locale;

/**
 * Text by code points: its order, which is that of its UTF-8, and the check for lone surrogates, which have no UTF-8. The order of
 * {@link String#compareTo} is different: it sorts characters above U+FFFF before U+E000.
 */
public final class CodePoints {
    /** Order by code point, as in engines that compare UTF-8. For texts without lone surrogates. */
    public static final Comparator<String> ORDER = CodePoints::compare;

    /** Offsets that rank surrogates above all other characters. */
    private static final int SURROGATES_UP = 0x2000;

    private static final int OTHERS_DOWN = 0x800;

    private CodePoints() {}

    /** Compares by code point: negative, zero or positive. */
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
     * Rejects a text with a lone surrogate, which would be encoded as another text.
     *
     * @param code the error's code
     * @param name description of the text, for the message
     * @return the text
     */
    public static String checked(ErrorCode code, String name, String text) {
        int at = loneSurrogate(text);
        if (at >= 0) {
            String half = Integer.toHexString(text.charAt(at)).toUpperCase(Locale.ROOT);
            throw new UniserveException(
                    code,
                    name + " has a lone surrogate, U+" + half + ", at character " + at
                            + ": it has no UTF-8; send whole code points");
        }
        return text;
    }

    /** The index of the first lone surrogate; -1 for none. */
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
