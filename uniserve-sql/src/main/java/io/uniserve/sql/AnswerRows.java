package io.uniserve.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of an answer while it is read, up to what an actor may send. Not thread-safe. */
public final class AnswerRows {
    /** Characters of one answer at most; what an actor may send has less bytes. */
    public static final long CHARS_MAX = 14L << 20;

    private final List<String> types;
    private final List<List<@Nullable String>> rows = new ArrayList<>();
    private long chars;

    /** None yet; types as {@link SqlRows} has them. */
    public AnswerRows(List<String> types) {
        this.types = types;
    }

    /** Adds a row; TOO_LARGE where the answer is one that no actor may send. */
    public void add(List<@Nullable String> row) {
        for (String value : row) {
            chars += value == null ? 1 : value.length() + 4;
        }
        check(chars);
        rows.add(Collections.unmodifiableList(row));
    }

    /** TOO_LARGE where an answer has more characters than it may, or more rows than that. */
    public static void check(long charsOrRows) {
        if (charsOrRows > CHARS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "the answer has more than " + CHARS_MAX + " characters; use WHERE, GROUP BY or LIMIT");
        }
    }

    /** The answer. */
    public SqlRows rows() {
        return new SqlRows(types, rows);
    }
}
