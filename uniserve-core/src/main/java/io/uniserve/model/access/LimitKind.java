package io.uniserve.model.access;

import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Kind of a limit on the requests of one user. Each server counts for itself. */
public enum LimitKind {
    /** Queries and reads of the user that run at the same time. */
    CONCURRENT_QUERIES(Right.READ, 1_000_000),
    /** Bytes of results that are held at the same time for the user's queries. */
    RESULT_BYTES(Right.READ, Long.MAX_VALUE),
    /** Duration of one query, in milliseconds. */
    DEADLINE_MS(Right.READ, 86_400_000),
    /** Rows of the answer to one query in the engine's own language. */
    ANSWER_ROWS(Right.READ, Long.MAX_VALUE),
    /** Rows of updates per second. One update may have more; later ones then wait for longer. */
    UPDATE_ROWS_PER_SECOND(Right.WRITE, 1_000_000_000);

    private final Right right;
    private final long max;

    LimitKind(Right right, long max) {
        this.right = right;
        this.max = max;
    }

    /** Right of the requests that it limits. */
    public Right right() {
        return right;
    }

    /** Largest value. */
    public long max() {
        return max;
    }

    /** Name on the command line, in messages and on the wire, with the unit of the value, such as {@code deadline-ms}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind of this name. Fails with INVALID_ARGUMENT if there is none. */
    public static LimitKind of(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("limit \"" + text + "\" is unknown: use one of "
                        + Arrays.stream(values()).map(LimitKind::text).collect(Collectors.joining(", "))));
    }
}
