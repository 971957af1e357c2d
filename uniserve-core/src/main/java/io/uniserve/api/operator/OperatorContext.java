package io.uniserve.api.operator;

/** The query an operator works for. Safe for use by the operator's thread. */
public interface OperatorContext {
    /** The actor's number. */
    int actor();

    /** Nanoseconds that remain until the deadline; 0 or less when it has passed. */
    long remainingNanos();

    /** Throws DEADLINE_EXCEEDED or CANCELLED when the query has ended. Cheap. */
    void checkActive();
}
