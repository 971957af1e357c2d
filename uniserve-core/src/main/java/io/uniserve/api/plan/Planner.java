package io.uniserve.api.plan;

/** Turns a query in the engine's own language into operators over tables, runs them and merges the final answer. Stateless, thread-safe. */
public interface Planner {
    /**
     * Answers a query; blocks until it is done. Refuses what it does not support by name with UNSUPPORTED or
     * INVALID_ARGUMENT.
     */
    Answer answer(QueryText query, PlanContext context);
}
