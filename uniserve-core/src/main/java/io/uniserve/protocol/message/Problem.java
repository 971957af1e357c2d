package io.uniserve.protocol.message;

import io.uniserve.limit.Limits;
import java.util.Objects;

/**
 * Problem that a daemon reports: an object, what is wrong with it and how much that matters.
 *
 * @param object what it concerns, e.g. {@code registry} or {@code backup}; the reporting daemon is not repeated
 * @param text cause in one sentence, without a full stop
 */
public record Problem(Severity severity, String object, String text) {
    public Problem {
        Objects.requireNonNull(severity);
        object = clip(object, Limits.IDENTIFIER_CHARS_MAX);
        text = clip(text, Limits.PROBLEM_TEXT_CHARS_MAX);
    }

    /** Effect of a problem, the least first. */
    public enum Severity {
        /** Everything is served; an operator should look. */
        WARNING,
        /** Whether it is served is not known. */
        UNKNOWN,
        /** Data are safe and served, but something that an operator relies on fails, such as the backup. */
        FAILING,
        /** Something is not served, or a daemon does not work as part of its cluster. */
        ERROR;

        /** True where a server or cluster with such a problem is not ready. */
        public boolean unready() {
            return this == UNKNOWN || this == ERROR;
        }
    }

    private static String clip(String value, int charsMax) {
        return value.length() <= charsMax ? value : value.substring(0, charsMax - 3) + "...";
    }
}
