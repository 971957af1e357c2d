package io.uniserve.api.operator;

import io.uniserve.codec.Codec;

/** The caller's half of an operator that leaves chunks for a later stage of a plan. */
public sealed interface ChunkCall<P> permits ScatterCall, MapCall {
    /** {@code name@version}. */
    String id();

    Codec<P> parameters();
}
