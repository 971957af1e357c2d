package io.uniserve.api.operator;

import java.util.List;

/**
 * Last step of a query: combines partial values into the result. It runs where the query is planned, never on another server, so it may
 * be a lambda. The host calls it once, on the planner's thread.
 *
 * <pre>{@code
 * long total = context.retrieve(table, COUNT_CALL, 0L, values -> values.stream().mapToLong(value -> value).sum());
 * }</pre>
 *
 * @param <V> partial value: one per actor, or already merged per server; in no particular order
 * @param <R> the result
 */
@FunctionalInterface
public interface Combiner<V, R> {
    /** Combines all partial values. */
    R combine(List<V> values);
}
