package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/** Client side of an operator that emits chunks for a later stage of a plan: a scatter or a map. */
public sealed interface ChunkCall<P> permits ScatterCall, MapCall {
    /** {@code name@version}. */
    String id();

    /** Codec of the parameters. */
    Codec<P> parameters();
}
