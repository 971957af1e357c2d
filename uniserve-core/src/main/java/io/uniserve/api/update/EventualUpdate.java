package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.codec.Codec;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** An update of one actor alone. */
public non-sealed interface EventualUpdate<A extends Actor, R extends Row> extends UpdateFunction<A, R> {
    /**
     * Refuses rows the engine could not apply (types, schema); throws INVALID_ROW naming row and field. Runs on the primary
     * before the rows are logged, so that {@link #update} of logged rows can only fail by a fault of the engine. May run at
     * the same time as anything. What was acknowledged may not be published yet, see {@link #reads}.
     */
    void validate(A actor, List<R> rows);

    /** Whether this row is validated by what the actor holds: then all that was acknowledged is published first. */
    default boolean reads(R row) {
        return false;
    }

    /**
     * Applies the rows. Called in log order, one at a time per actor; may be called again for the same rows after a crash. One
     * that throws for its rows again and again, on the primary, is refused for all with UPDATE_REFUSED; the actor is built
     * anew each time, so refuse in {@link #validate} what can be refused there.
     */
    void update(A actor, UpdateContext context, List<R> rows);

    /** The update function from its two halves, {@link #validate} and {@link #update}. */
    static <A extends Actor, R extends Row> EventualUpdate<A, R> of(
            String id, Class<A> actorType, Codec<R> rows, BiConsumer<A, List<R>> check, BiConsumer<A, List<R>> apply) {
        return of(id, actorType, rows, check, apply, row -> false);
    }

    /** The same with {@link #reads}. */
    static <A extends Actor, R extends Row> EventualUpdate<A, R> of(
            String id,
            Class<A> actorType,
            Codec<R> rows,
            BiConsumer<A, List<R>> check,
            BiConsumer<A, List<R>> apply,
            Predicate<R> reads) {
        return new UpdateHalves<>(id, actorType, rows, check, apply, reads);
    }
}
