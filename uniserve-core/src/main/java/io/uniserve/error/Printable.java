package io.uniserve.error;

import org.jspecify.annotations.Nullable;

/** Text of others (a caller, an engine, a file) made fit for an error message or a log line. */
public final class Printable {
    private static final int CHARS_MAX = 300;

    private Printable() {}

    /** The text on one line, cut to 300 characters. */
    public static String line(@Nullable String text) {
        return line(text, CHARS_MAX);
    }

    /**
     * The text on one line: cut to {@code charsMax} characters, each run of control characters shown as a space, and each lone
     * surrogate, one that the cut leaves too, as U+FFFD.
     */
    public static String line(@Nullable String text, int charsMax) {
        String given = String.valueOf(text);
        String cut = given.length() > charsMax ? given.substring(0, charsMax) + "..." : given;
        return cut.replaceAll("\\p{Cntrl}+", " ").replaceAll("\\p{Cs}", "\ufffd");
    }
}
