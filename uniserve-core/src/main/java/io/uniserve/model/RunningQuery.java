package io.uniserve.model;

/**
 * A query or a part of one that a server works for.
 *
 * @param id of this server only; no other server has the same, but by great chance
 * @param client the name of the client that asked; empty where it has none
 * @param operator the operator of a read, or {@code plan} of a query in an engine's own language
 */
public record RunningQuery(long id, String table, String client, String operator, long runningNanos, State state) {
    /** Where it is. */
    public enum State {
        /** Waits for a thread. */
        QUEUED,
        /** Has a thread, or waits for other servers. */
        RUNNING,
        /** Cancelled, or past its deadline, and about to end. */
        ENDING,
        /** Was to end a while ago; its engine does not come back. */
        STUCK
    }
}
