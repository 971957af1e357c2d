package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * The caller's half of a retrieve operator: its name and codecs, without actor or engine, so that a client needs no
 * engine on its class path.
 *
 * @param id {@code name@version}
 */
public record RetrieveCall<P, V>(String id, Codec<P> parameters, Codec<V> values) {
    /** The caller's half of an operator. */
    public static <P, V> RetrieveCall<P, V> of(RetrieveOperator<?, P, V> operator) {
        return new RetrieveCall<>(operator.id(), operator.parameters(), operator.values());
    }
}
