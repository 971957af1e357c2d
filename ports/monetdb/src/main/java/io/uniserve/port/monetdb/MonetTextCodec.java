package io.uniserve.port.monetdb;

import io.uniserve.error.UniserveException;
import java.math.BigDecimal;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Encoding of texts for MonetDBLite's native code, which gets them in Java's modified UTF-8. A character beyond the basic plane would be
 * invalid UTF-8 for MonetDB, and U+0000 would end the process. So a character beyond the basic plane is encoded as two others. The first is
 * one of U+FC00 to U+FFFF, so that MonetDB orders texts by code point; the second is one of U+E000 to U+E3FF. Characters U+E800 to U+FFFF
 * are shifted down to U+E400 to U+FBFF. U+0000 and U+E000 to U+E7FF are rejected. For MonetDB 😀 are two characters, as for Java.
 */
final class MonetTextCodec {
    private static final char PRIVATE = '\uE000';
    private static final char PRIVATE_END = '\uE800';
    /** Characters below this one are unchanged. */
    private static final char SAME_END = Character.MIN_SURROGATE;

    private static final char FIRST = '\uFC00';
    private static final int FIRST_UP = FIRST - Character.MIN_HIGH_SURROGATE;
    private static final int SECOND_UP = PRIVATE - Character.MIN_LOW_SURROGATE;
    private static final int OTHERS_DOWN = 0x400;
    private static final int DAY_CHARS = 10;

    /** Letters whose other case MonetDB does not support, and characters that are unassigned in this Java, which may be such letters. */
    private static final Pattern CASED =
            Pattern.compile("[ß[\\p{IsLowercase}\\p{IsUppercase}\\p{IsTitlecase}\\p{Cn}&&[^\\x00-\\xFF]]]");

    private MonetTextCodec() {}

    /** True for texts that MonetDB can store. */
    static boolean fits(String text) {
        return text.chars().noneMatch(c -> c == 0 || (c >= PRIVATE && c < PRIVATE_END));
    }

    /** Fails with INVALID_ARGUMENT for texts that MonetDB cannot store. */
    static String check(String text) {
        if (!fits(text)) {
            throw UniserveException.invalid(
                    "MonetDB: a text with U+0000 or one of U+E000 to U+E7FF cannot be used; remove it");
        }
        return text;
    }

    /**
     * Returns flags of the characters in a text that MonetDB's functions handle incorrectly: 1 for letters without their other case, 2 for
     * characters that count as two, 4 for line ends; or their sum.
     */
    static int oddKinds(String text) {
        return (CASED.matcher(text).find() ? 1 : 0)
                + (text.chars().anyMatch(c -> Character.isSurrogate((char) c)) ? 2 : 0)
                + (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0 ? 4 : 0);
    }

    /** Encodes a text for MonetDB. Fails with INVALID_ARGUMENT if that is impossible. */
    static String encode(String text) {
        return mapCharacters(
                check(text),
                c -> c > Character.MAX_SURROGATE
                        ? c - OTHERS_DOWN
                        : c + (c < Character.MIN_LOW_SURROGATE ? FIRST_UP : SECOND_UP));
    }

    /** Returns a date in MonetDB's format. */
    static @Nullable String day(@Nullable Object day) {
        return day == null ? null : day.toString().replace("+", "");
    }

    private static String decode(String text) {
        return mapCharacters(
                text, c -> c >= FIRST ? c - FIRST_UP : c < PRIVATE + OTHERS_DOWN ? c - SECOND_UP : c + OTHERS_DOWN);
    }

    private static String mapCharacters(String text, IntUnaryOperator change) {
        if (text.chars().allMatch(c -> c < SAME_END)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text);
        for (int i = 0; i < out.length(); i++) {
            char c = out.charAt(i);
            if (c >= SAME_END) {
                out.setCharAt(i, (char) change.applyAsInt(c));
            }
        }
        return out.toString();
    }

    /** Returns a value of a result as the text that is read back exactly. */
    static @Nullable String text(String type, @Nullable Object value) {
        if (value == null || (value instanceof Double number && number.isNaN())) {
            return null;
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        String text = value.toString();
        if (type.equals("DATE")) {
            // Years after 9999 have a sign, as in LocalDate.
            return text.length() > DAY_CHARS ? "+" + text : "0".repeat(DAY_CHARS - text.length()) + text;
        }
        return decode(text);
    }
}
