package io.uniserve.error;

import org.jspecify.annotations.Nullable;

/** Formatter of external texts (of a caller, an engine, a file) for an error message or a log line. */
public final class PrintableText {
    private static final int CHARS_MAX = 300;

    private PrintableText() {}

    /** The text on one line, shortened to 300 characters. */
    public static String line(@Nullable String text) {
        return line(text, CHARS_MAX);
    }

    /**
     * The text on one line, shortened to {@code charsMax} characters. Each run of control characters becomes a space, and each lone
     * surrogate, also one left by the shortening, becomes U+FFFD.
     */
    public static String line(@Nullable String text, int charsMax) {
        String given = String.valueOf(text);
        String cut = given.length() > charsMax ? given.substring(0, charsMax) + "..." : given;
        return cut.replaceAll("\\p{Cntrl}+", " ").replaceAll("\\p{Cs}", "\ufffd");
    }
}
