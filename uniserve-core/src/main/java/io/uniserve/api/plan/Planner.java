package io.uniserve.api.plan;

import java.util.Optional;

/** Turns a query in the engine's own language into operators over tables, runs them and merges the final answer. Stateless, thread-safe. */
public interface Planner {
    /**
     * Answers a query; blocks until it is done. Refuses what it does not support by name with UNSUPPORTED or
     * INVALID_ARGUMENT.
     */
    Answer answer(QueryText query, PlanContext context);

    /**
     * The query that tells the steps of another one's plan in place of its answer, where the language has such queries, as SQL has
     * EXPLAIN. Of all others the host tells the steps, as their plans take them: what was asked of which actors, and what that took.
     * What an actor {@linkplain WholeQuery answers whole} is told by whoever asks it, and never comes here.
     */
    default Optional<String> explaining(String text) {
        return Optional.empty();
    }
}
