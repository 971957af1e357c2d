package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.api.extra.EngineTask;
import io.uniserve.codec.Codec;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Update of one actor, independent of all other actors.
 *
 * <p>Thread-safety: see {@link UpdateFunction}.
 *
 * <p>Errors: {@link #validate} rejects bad rows before they enter the log; {@link #update} must then succeed unless the engine itself
 * fails.
 *
 * <pre>{@code
 * static final EventualUpdate<H2Actor, Document> PUT = EventualUpdate.of(
 *         "h2.put@1",
 *         H2Actor.class,
 *         Document.CODEC,
 *         (actor, rows) -> rows.forEach(H2Actor::check), // validate
 *         H2Actor::put);                                 // update
 * }</pre>
 *
 * @param <A> the port's actor class
 * @param <R> the class of rows
 */
public non-sealed interface EventualUpdate<A extends Actor, R extends Row> extends UpdateFunction<A, R> {
    /**
     * Rejects rows that the engine could not apply, such as wrong types. Runs on the primary before the rows enter the log, concurrently
     * with anything. Acknowledged updates may not be published yet; see {@link #readsActor}.
     *
     * @throws io.uniserve.error.UniserveException INVALID_ROW with the row and the field
     */
    void validate(A actor, List<R> rows);

    /** Returns whether validation of this row reads the actor's contents. The host then first publishes all acknowledged updates. */
    default boolean readsActor(R row) {
        return false;
    }

    /**
     * Applies the rows. The host calls it in log order, one call at a time per actor, and possibly again for the same rows after a crash.
     * If it throws repeatedly for the same rows on the primary, the host rejects these rows on all replicas with UPDATE_REFUSED. The host
     * rebuilds the actor after each failure, so reject in {@link #validate} whatever can be rejected there.
     */
    void update(A actor, UpdateContext context, List<R> rows);

    /**
     * Builds an update function from {@link #validate} and {@link #update}.
     *
     * @param check validates rows
     * @param apply applies rows
     */
    static <A extends Actor, R extends Row> EventualUpdate<A, R> of(
            String id, Class<A> actorType, Codec<R> rows, BiConsumer<A, List<R>> check, BiConsumer<A, List<R>> apply) {
        return of(id, actorType, rows, check, apply, row -> false);
    }

    /** Builds an update function from {@link #validate}, {@link #update} and {@link #readsActor}. */
    static <A extends Actor, R extends Row> EventualUpdate<A, R> of(
            String id,
            Class<A> actorType,
            Codec<R> rows,
            BiConsumer<A, List<R>> check,
            BiConsumer<A, List<R>> apply,
            Predicate<R> reads) {
        return new FunctionalUpdate<>(id, actorType, rows, check, apply, reads);
    }

    /** Action on one row, with a resource that the actor opens once per call, such as a writer. */
    interface EachRow<A, L, R> {
        /** Validates or applies one row. */
        void accept(A actor, L lent, R row) throws Exception;
    }

    /**
     * Runs work with an open resource of the actor, such as a writer.
     *
     * @param <L> the resource
     */
    interface ResourceProvider<A, L> {
        /**
         * Runs the work.
         *
         * @param what the action, for error messages
         */
        <T> T with(A actor, String what, EngineTask<L, T> work);
    }

    /** Builds an update function from actions on single rows. */
    static <A extends Actor, L, R extends Row> EventualUpdate<A, R> ofEach(
            String id,
            Class<A> actorType,
            Codec<R> rows,
            ResourceProvider<A, L> lending,
            EachRow<A, L, R> check,
            EachRow<A, L, R> apply,
            Predicate<R> reads) {
        return of(id, actorType, rows, forEachRow(lending, check), forEachRow(lending, apply), reads);
    }

    private static <A, L, R> BiConsumer<A, List<R>> forEachRow(ResourceProvider<A, L> lending, EachRow<A, L, R> each) {
        return (actor, rows) -> lending.with(actor, "update rows", lent -> {
            for (R row : rows) {
                each.accept(actor, lent, row);
            }
            return rows;
        });
    }
}
