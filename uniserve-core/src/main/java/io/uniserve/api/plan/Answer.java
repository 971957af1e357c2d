package io.uniserve.api.plan;

import io.uniserve.codec.Bytes;

/**
 * A query's final answer in the engine's own format, e.g. {@code application/json}.
 *
 * @param effort what the answer took; a planner leaves it to the host to fill in
 */
public record Answer(String contentType, Bytes body, Effort effort) {
    /** A planner's answer. */
    public Answer(String contentType, Bytes body) {
        this(contentType, body, Effort.NONE);
    }

    /** The same answer with what it took. */
    public Answer with(Effort spent) {
        return new Answer(contentType, body, spent);
    }

    /**
     * What an answer took, over all its plans.
     *
     * @param requests requests to servers, retries and hedges included
     * @param retries requests that asked an actor again after a failure
     * @param hedges requests sent because another one was slow
     */
    public record Effort(int requests, int retries, int hedges) {
        public static final Effort NONE = new Effort(0, 0, 0);

        /** Both together. */
        public Effort plus(Effort other) {
            return new Effort(requests + other.requests, retries + other.retries, hedges + other.hedges);
        }
    }
}
