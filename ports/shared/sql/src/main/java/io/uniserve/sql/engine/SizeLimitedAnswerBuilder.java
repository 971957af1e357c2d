package io.uniserve.sql.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builder of an actor's answer that enforces the size limit of answers. Not thread-safe. */
public final class SizeLimitedAnswerBuilder {
    /** Maximum size of one answer in characters. An actor's message limit in bytes is larger. */
    public static final long CHARS_MAX = 14L << 20;

    private final List<String> types;
    private final List<List<@Nullable String>> rows = new ArrayList<>();
    private long chars;

    /** Starts without rows; the types are as in {@link SqlRows}. */
    public SizeLimitedAnswerBuilder(List<String> types) {
        this.types = types;
    }

    /** Adds a row. Fails with TOO_LARGE if the answer exceeds {@link #CHARS_MAX}. */
    public void add(List<@Nullable String> row) {
        for (String value : row) {
            chars += value == null ? 1 : value.length() + 4;
        }
        check(chars);
        rows.add(Collections.unmodifiableList(row));
    }

    /** Fails with TOO_LARGE if an answer exceeds {@link #CHARS_MAX} in characters or in rows. */
    public static void check(long charsOrRows) {
        if (charsOrRows > CHARS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "the answer has more than " + CHARS_MAX + " characters; use WHERE, GROUP BY or LIMIT");
        }
    }

    /** Returns the answer. */
    public SqlRows rows() {
        return new SqlRows(types, rows);
    }
}
