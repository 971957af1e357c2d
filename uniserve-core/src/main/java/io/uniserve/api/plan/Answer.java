package io.uniserve.api.plan;

import io.uniserve.codec.Bytes;

/**
 * Final answer of a query in the engine's own format. Immutable.
 *
 * <pre>{@code
 * return new Answer("application/json", Bytes.utf8(json)).withRows(documents.size());
 * }</pre>
 *
 * @param contentType media type of the body, such as {@code application/json}
 * @param body the answer
 * @param effort cost of the answer; a planner leaves it to the host
 * @param rows rows in the body: rows of SQL, documents, hits, buckets or results; {@link #ROWS_UNKNOWN} if the port does not count.
 *     Not sent to clients: the host compares it with the limit of the user
 */
public record Answer(String contentType, Bytes body, Effort effort, long rows) {
    /** Number of rows that the port has not counted. */
    public static final long ROWS_UNKNOWN = -1;

    /** Answer whose rows are not counted. */
    public Answer(String contentType, Bytes body, Effort effort) {
        this(contentType, body, effort, ROWS_UNKNOWN);
    }

    /** Answer of a planner, without effort. */
    public Answer(String contentType, Bytes body) {
        this(contentType, body, Effort.NONE);
    }

    /** Returns the answer with this effort. */
    public Answer withEffort(Effort spent) {
        return new Answer(contentType, body, spent, rows);
    }

    /** Returns the answer with this number of rows. */
    public Answer withRows(long count) {
        return new Answer(contentType, body, effort, count);
    }

    /**
     * Cost of an answer over all plans of the query.
     *
     * @param requests requests to servers, including retries and hedges
     * @param retries requests repeated after a failure
     * @param hedges duplicate requests sent because another request was slow
     */
    public record Effort(int requests, int retries, int hedges) {
        public static final Effort NONE = new Effort(0, 0, 0);

        /** Returns the sum of both. */
        public Effort plus(Effort other) {
            return new Effort(requests + other.requests, retries + other.retries, hedges + other.hedges);
        }
    }
}
