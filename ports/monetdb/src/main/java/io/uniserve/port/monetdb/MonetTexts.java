package io.uniserve.port.monetdb;

import io.uniserve.error.UniserveException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Texts on their way through MonetDBLite's native code, which gets them in Java's own form of UTF-8: a character beyond the basic plane is
 * no UTF-8 for MonetDB, and U+0000 ends the process. So halves of such characters travel as characters of the private use area, and these
 * and U+0000 are refused. For MonetDB 😀 are two characters, as for Java.
 */
final class MonetTexts {
    private static final char PRIVATE = '\uE000';
    private static final char PRIVATE_END = '\uE800';
    private static final int DAY_CHARS = 10;
    private static final int APART = PRIVATE - Character.MIN_SURROGATE;

    private MonetTexts() {}

    /** True for what MonetDB can hold. */
    static boolean fits(String text) {
        return text.chars().noneMatch(c -> c == 0 || (c >= PRIVATE && c < PRIVATE_END));
    }

    /** INVALID_ARGUMENT for what MonetDB cannot hold. */
    static String checked(String text) {
        if (!fits(text)) {
            throw UniserveException.invalid("MonetDB: a text with U+0000 or one of U+E000 to U+E7FF cannot be used");
        }
        return text;
    }

    /** As it goes to MonetDB; INVALID_ARGUMENT where it cannot. */
    static String encoded(String text) {
        checked(text);
        return text.chars().noneMatch(c -> Character.isSurrogate((char) c)) ? text : shifted(text, APART);
    }

    /** A day as MonetDB reads it. */
    static @Nullable String day(@Nullable Object day) {
        return day == null ? null : day.toString().replace("+", "");
    }

    private static String shifted(String text, int by) {
        StringBuilder out = new StringBuilder(text);
        for (int i = 0; i < out.length(); i++) {
            char c = out.charAt(i);
            if (by > 0 ? Character.isSurrogate(c) : c >= PRIVATE && c < PRIVATE_END) {
                out.setCharAt(i, (char) (c + by));
            }
        }
        return out.toString();
    }

    /** A value of a result as the text that is read back exactly. */
    static @Nullable String text(String type, @Nullable Object value) {
        if (value == null || (value instanceof Double number && number.isNaN())) {
            return null;
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        String text = value.toString();
        if (type.equals("DATE")) {
            // Beyond the year 9999 with a sign, as of a LocalDate.
            return text.length() > DAY_CHARS ? "+" + text : "0".repeat(DAY_CHARS - text.length()) + text;
        }
        return text.chars().noneMatch(c -> c >= PRIVATE && c < PRIVATE_END) ? text : shifted(text, -APART);
    }
}
