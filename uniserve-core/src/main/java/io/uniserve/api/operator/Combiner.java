package io.uniserve.api.operator;

import java.util.List;

/**
 * The last step of a query, run where it was planned; never travels.
 *
 * @param <V> partial value, one per actor or already merged per server, in no particular order
 * @param <R> the result
 */
@FunctionalInterface
public interface Combiner<V, R> {
    R combine(List<V> values);
}
