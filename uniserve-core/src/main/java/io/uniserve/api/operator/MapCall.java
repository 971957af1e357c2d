package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * The caller's half of a map operator, without actor or engine.
 *
 * @param id {@code name@version}; as with {@link ScatterCall} two engines that would cut the same rows differently need
 *     different ones
 */
public record MapCall<P>(String id, Codec<P> parameters) implements ChunkCall<P> {
    /** The caller's half of an operator. */
    public static <P> MapCall<P> of(MapOperator<?, P> operator) {
        return new MapCall<>(operator.id(), operator.parameters());
    }
}
