package io.uniserve.api.plan;

import java.util.Optional;

/**
 * Planner for the engine's own query language: turns a query into operators over tables, runs them, and builds the final answer.
 *
 * <p>Thread-safety: stateless and safe for use by several threads; the host runs many queries concurrently.
 *
 * <p>Errors: throw {@link io.uniserve.error.UniserveException}, with UNSUPPORTED or INVALID_ARGUMENT and the name of what is not supported.
 *
 * <pre>{@code
 * public Answer answer(QueryText query, PlanContext context) {
 *     if (!query.text().equals("count")) {
 *         throw UniserveException.invalid("unknown query: use \"count\"");
 *     }
 *     long total = context.retrieve(
 *             query.table(), RetrieveCall.of(COUNT), 0L, values -> values.stream().mapToLong(value -> value).sum());
 *     return new Answer("text/plain", Bytes.utf8(total + "\n"));
 * }
 * }</pre>
 */
public interface Planner {
    /** Answers a query; blocks until it is done. The answer is always complete: on any failure, throw. */
    Answer answer(QueryText query, PlanContext context);

    /**
     * Returns the query whose plan the given query explains, if the language has such queries, like EXPLAIN in SQL; otherwise empty. For
     * queries of other languages the host reports the steps itself: which operators ran on which actors, and their cost. Queries that one
     * actor {@linkplain WholeQueryOperator answers whole} never reach this method; the caller reports their step.
     */
    default Optional<String> explainQuery(String text) {
        return Optional.empty();
    }
}
