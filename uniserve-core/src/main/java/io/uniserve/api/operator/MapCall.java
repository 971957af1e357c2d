package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/**
 * Client side of a map operator, without actor or engine. Immutable; thread-safe if the codec is.
 *
 * @param id {@code name@version}; as with {@link ScatterCall}, two engines that split the same rows differently need different ids
 * @param parameters codec of the parameters
 */
public record MapCall<P>(String id, Codec<P> parameters) implements ChunkCall<P> {
    /** The client side of this operator. */
    public static <P> MapCall<P> of(MapOperator<?, P> operator) {
        return new MapCall<>(operator.id(), operator.parameters());
    }
}
