package io.uniserve.api.operator;

import io.uniserve.limit.Limits;

/** The query an operator works for. Safe for use by the operator's thread. */
public interface OperatorContext {
    /** The actor's number. */
    int actor();

    /** Nanoseconds that remain until the deadline; 0 or less when it has passed. */
    long remainingNanos();

    /** The same in whole milliseconds, 1 or more, for engines that take a limit of their own. */
    default long remainingMillis() {
        return Math.max(1, Math.min(remainingNanos() / 1_000_000, Limits.DEADLINE_MS_MAX));
    }

    /** Throws DEADLINE_EXCEEDED or CANCELLED when the query has ended. Cheap. */
    void checkActive();
}
