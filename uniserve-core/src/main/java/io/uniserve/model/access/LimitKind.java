package io.uniserve.model.access;

import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Kind of a limit on the requests of one user. Each server counts for itself. */
public enum LimitKind {
    /** Queries and reads of the user that run at the same time. */
    QUERIES(Right.READ, "", 1_000_000),
    /** Bytes of results that are held at the same time for the user's queries. */
    MEMORY(Right.READ, " bytes", Long.MAX_VALUE),
    /** Duration of one query, in milliseconds. */
    DEADLINE(Right.READ, " ms", 86_400_000),
    /** Rows of the answer to one query in the engine's own language. */
    ROWS(Right.READ, "", Long.MAX_VALUE),
    /** Rows of updates per second. One update may have more; later ones then wait for longer. */
    UPDATES(Right.WRITE, " per second", 1_000_000_000);

    private final Right right;
    private final String unit;
    private final long max;

    LimitKind(Right right, String unit, long max) {
        this.right = right;
        this.unit = unit;
        this.max = max;
    }

    /** Right of the requests that it limits. */
    public Right right() {
        return right;
    }

    /** Unit of the value in messages, after a space; empty for a number. */
    String unit() {
        return unit;
    }

    /** Largest value. */
    public long max() {
        return max;
    }

    /** Name on the command line and in messages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind of this name. Fails with INVALID_ARGUMENT if there is none. */
    public static LimitKind of(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("name of a limit: use one of "
                        + Arrays.stream(values()).map(LimitKind::text).collect(Collectors.joining(", "))));
    }
}
