package io.uniserve.api.plan;

import io.uniserve.codec.Bytes;

/**
 * Final answer of a query in the engine's own format. Immutable.
 *
 * <pre>{@code
 * return new Answer("application/json", Bytes.utf8(json));
 * }</pre>
 *
 * @param contentType media type of the body, such as {@code application/json}
 * @param body the answer
 * @param effort cost of the answer; a planner leaves it to the host
 */
public record Answer(String contentType, Bytes body, Effort effort) {
    /** Answer of a planner, without effort. */
    public Answer(String contentType, Bytes body) {
        this(contentType, body, Effort.NONE);
    }

    /** Returns the answer with this effort. */
    public Answer withEffort(Effort spent) {
        return new Answer(contentType, body, spent);
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
