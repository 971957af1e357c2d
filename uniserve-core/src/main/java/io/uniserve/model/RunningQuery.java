package io.uniserve.model;

/**
 * Query, or part of one, that a server executes.
 *
 * @param id number on this server; numbers of several servers are different, except by rare chance
 * @param client the name of the client; empty if it has none
 * @param operator the operator of a read, or {@code plan} for a query in an engine's own language
 */
public record RunningQuery(long id, String table, String client, String operator, long runningNanos, State state) {
    /** State of its execution. */
    public enum State {
        /** It waits for a thread. */
        QUEUED,
        /** It has a thread, or waits for other servers. */
        RUNNING,
        /** It was cancelled or its deadline has passed, and it is about to end. */
        ENDING,
        /** It should have ended some time ago, but its engine has not returned. */
        STUCK
    }
}
