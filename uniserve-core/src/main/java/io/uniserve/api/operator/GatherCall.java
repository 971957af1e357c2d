package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * Client side of a gather operator, without actor or engine. Immutable; thread-safe if the codecs are.
 *
 * @param id {@code name@version} of the operator
 * @param parameters codec of the parameters
 * @param values codec of the values
 */
public record GatherCall<P, V>(String id, Codec<P> parameters, Codec<V> values) {
    /** The client side of this operator. */
    public static <P, V> GatherCall<P, V> of(GatherOperator<?, P, V> operator) {
        return new GatherCall<>(operator.id(), operator.parameters(), operator.values());
    }
}
