package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * Client side of a retrieve operator: its id and codecs, without actor or engine, so that a client needs no engine on its class path.
 * Immutable; thread-safe if the codecs are.
 *
 * <pre>{@code
 * RetrieveCall<String, Long> count = new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
 * }</pre>
 *
 * @param id {@code name@version} of the operator
 * @param parameters codec of the parameters
 * @param values codec of the values
 */
public record RetrieveCall<P, V>(String id, Codec<P> parameters, Codec<V> values) {
    /** The client side of this operator. */
    public static <P, V> RetrieveCall<P, V> of(RetrieveOperator<?, P, V> operator) {
        return new RetrieveCall<>(operator.id(), operator.parameters(), operator.values());
    }
}
