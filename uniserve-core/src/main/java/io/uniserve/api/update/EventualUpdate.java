package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.api.extra.EngineTask;
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
        return new FunctionalUpdate<>(id, actorType, rows, check, apply, reads);
    }

    /** What is done with one row, with what the actor lends for all rows of a call, such as a writer. */
    interface EachRow<A, L, R> {
        void take(A actor, L lent, R row) throws Exception;
    }

    /** Lends something of the actor to work on it; {@code what} is done with it is for messages. */
    interface Lending<A, L> {
        <T> T with(A actor, String what, EngineTask<L, T> work);
    }

    /** The same from what its halves do with each row. */
    static <A extends Actor, L, R extends Row> EventualUpdate<A, R> ofEach(
            String id,
            Class<A> actorType,
            Codec<R> rows,
            Lending<A, L> lending,
            EachRow<A, L, R> check,
            EachRow<A, L, R> apply,
            Predicate<R> reads) {
        return of(id, actorType, rows, all(lending, check), all(lending, apply), reads);
    }

    private static <A, L, R> BiConsumer<A, List<R>> all(Lending<A, L> lending, EachRow<A, L, R> each) {
        return (actor, rows) -> lending.with(actor, "update rows", lent -> {
            for (R row : rows) {
                each.take(actor, lent, row);
            }
            return rows;
        });
    }
}
