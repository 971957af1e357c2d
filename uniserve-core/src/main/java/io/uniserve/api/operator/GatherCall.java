package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * The caller's half of a gather operator, without actor or engine.
 *
 * @param id {@code name@version}
 */
public record GatherCall<P, V>(String id, Codec<P> parameters, Codec<V> values) {
    /** The caller's half of an operator. */
    public static <P, V> GatherCall<P, V> of(GatherOperator<?, P, V> operator) {
        return new GatherCall<>(operator.id(), operator.parameters(), operator.values());
    }
}
