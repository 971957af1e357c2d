package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;

/**
 * A parallel operator over actors, registered by {@code name@version}. The leaves are non-sealed; dispatch is by this
 * sealed family.
 *
 * @param <A> the actor
 * @param <P> its parameters
 */
public sealed interface Operator<A extends ActorView, P>
        permits RetrieveOperator, ScatterOperator, MapOperator, GatherOperator {
    /** {@code name@version}, e.g. {@code kv.get@1}. */
    String id();

    /** The actor's class, checked before every call. */
    Class<A> actorType();

    Codec<P> parameters();
}
