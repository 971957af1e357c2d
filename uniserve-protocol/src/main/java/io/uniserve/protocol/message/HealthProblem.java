package io.uniserve.protocol.message;

import io.uniserve.limit.Limits;
import java.util.Objects;

/**
 * Problem that a daemon reports: object, cause and severity.
 *
 * @param object the affected object, e.g. {@code registry} or {@code backup}; without the reporting daemon
 * @param text cause in one sentence, without a full stop
 */
public record HealthProblem(Severity severity, String object, String text) {
    public HealthProblem {
        Objects.requireNonNull(severity);
        object = clip(object, Limits.IDENTIFIER_CHARS_MAX);
        text = clip(text, Limits.PROBLEM_TEXT_CHARS_MAX);
    }

    /** Severity of a problem, in ascending order. */
    public enum Severity {
        /** Everything is served; an operator should check it. */
        WARNING,
        /** It is unknown whether the object is served. */
        UNKNOWN,
        /** Data are safe and served, but a function that operators rely on fails, such as the backup. */
        FAILING,
        /** Something is not served, or a daemon does not work as a part of its cluster. */
        ERROR;

        /** True if a server or cluster with such a problem is not ready. */
        public boolean blocksReadiness() {
            return this == UNKNOWN || this == ERROR;
        }
    }

    private static String clip(String value, int charsMax) {
        return value.length() <= charsMax ? value : value.substring(0, charsMax - 3) + "...";
    }
}
