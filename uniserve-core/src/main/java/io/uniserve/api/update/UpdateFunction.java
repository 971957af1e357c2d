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

    /**
     * True for a row with a condition on what the actor holds, such as the version of a document. Its check then sees every
     * update that the actor's log holds, and no update comes between the check and the log. Where the condition does not hold
     * the check throws CONFLICT.
     */
    default boolean conditional(R row) {
        return false;
    }
}
