package io.uniserve.cli.demo;

/**
 * One query as it went.
 *
 * @param startNanos when it was sent, from the start of the load
 * @param latencyNanos until its answer or its failure
 * @param problem why it failed or how its answer was wrong; empty where it was right
 * @param failed true for no answer, false for an answer (wrong where {@code problem} is not empty)
 */
public record Sample(
        long startNanos, long latencyNanos, String kind, String problem, boolean failed, int retries, int hedges) {
    /** Answered, and not as it should be. */
    public boolean wrong() {
        return !failed && !problem.isEmpty();
    }
}
