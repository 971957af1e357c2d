package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * The caller's half of a scatter operator, without actor or engine.
 *
 * @param id {@code name@version}; two engines that would cut the same rows differently need different ones, as their chunks
 *     meet at one gather
 */
public record ScatterCall<P>(String id, Codec<P> parameters) implements ChunkCall<P> {
    /** The caller's half of an operator. */
    public static <P> ScatterCall<P> of(ScatterOperator<?, P> operator) {
        return new ScatterCall<>(operator.id(), operator.parameters());
    }
}
