package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * Client side of a scatter operator, without actor or engine. Immutable; thread-safe if the codec is.
 *
 * @param id {@code name@version}; two engines that split the same rows differently need different ids, because their chunks meet at one
 *     gather
 * @param parameters codec of the parameters
 */
public record ScatterCall<P>(String id, Codec<P> parameters) implements ChunkCall<P> {
    /** The client side of this operator. */
    public static <P> ScatterCall<P> of(ScatterOperator<?, P> operator) {
        return new ScatterCall<>(operator.id(), operator.parameters());
    }
}
