package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.codec.Codec;

/**
 * Function that changes an actor by rows, registered by {@code name@version}. A port implements {@link EventualUpdate}, and
 * {@link AtomicUpdate} for tables with atomic updates.
 *
 * <p>Every replica applies the same rows in the order of the log, so a function must be deterministic: the same rows on the same actor give
 * the same contents. Take time and random numbers from the row or from {@link UpdateContext}.
 *
 * <p>Thread-safety: the host uses one object for all actors, concurrently, so it must be stateless. Per actor, updates run one at a time;
 * validation runs concurrently with everything.
 *
 * @param <A> the port's actor class
 * @param <R> the class of rows
 */
public sealed interface UpdateFunction<A extends Actor, R extends Row> permits AtomicUpdate, EventualUpdate {
    /** {@code name@version}, such as {@code kv.put@1}. Old versions must stay registered: they are in logs. */
    String id();

    /** The class that the function's actor must have; the host checks it before every call. */
    Class<A> actorType();

    /** Codec of the rows, in requests and in the log. */
    Codec<R> rows();

    /**
     * Returns whether the row has a condition on the actor's contents, such as an expected document version. Validation of such a row sees
     * every update in the actor's log, and no other update enters the log between validation and this row. If the condition does not hold,
     * validation throws CONFLICT.
     */
    default boolean isConditional(R row) {
        return false;
    }
}
