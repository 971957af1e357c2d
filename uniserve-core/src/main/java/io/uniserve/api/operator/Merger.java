package io.uniserve.api.operator;

/** Joins two partial values; associative and commutative. */
@FunctionalInterface
public interface Merger<P, V> {
    V merge(P parameters, V left, V right);
}
