package io.uniserve.benchmark.demo;

/**
 * Outcome of one query.
 *
 * @param startNanos time at which it was sent, from the start of the load
 * @param latencyNanos time until its answer or its failure
 * @param problem cause of the failure, or difference of the answer; empty for a correct answer
 * @param failed true without an answer; an answer is wrong if {@code problem} is not empty
 */
public record QuerySample(
        long startNanos, long latencyNanos, String kind, String problem, boolean failed, int retries, int hedges) {
    /** True for an answer with a difference. */
    public boolean isWrong() {
        return !failed && !problem.isEmpty();
    }
}
