package io.uniserve.api.operator;

/**
 * Joins two partial values; associative and commutative. It changes neither: where the whole is too large they are sent as
 * they are.
 */
@FunctionalInterface
public interface Merger<P, V> {
    V merge(P parameters, V left, V right);
}
