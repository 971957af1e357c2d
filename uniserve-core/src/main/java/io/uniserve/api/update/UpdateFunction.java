package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.codec.Codec;

/**
 * How rows change an actor; registered by {@code name@version}. Deterministic: the same rows on the same actor give the
 * same contents; time and randomness come as arguments.
 */
public sealed interface UpdateFunction<A extends Actor, R extends Row> permits AtomicUpdate, EventualUpdate {
    /** {@code name@version}, e.g. {@code kv.put@1}. */
    String id();

    /** The actor's class, checked before every call. */
    Class<A> actorType();

    Codec<R> rows();
}
