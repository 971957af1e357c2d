package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.api.extra.RevocableActor;
import java.util.List;
import java.util.Optional;

/**
 * Update of several actors that commits on all of them or on none: the participant's side of a two-phase commit. Each actor prepares its
 * part. The host commits the parts once all are prepared, on every actor in the order of versions. A class may implement
 * {@link EventualUpdate} as well.
 *
 * <p>Thread-safety: see {@link UpdateFunction}. The actor must be a {@link io.uniserve.api.extra.SnapshotActor}, because queries read
 * states by version. Engines with transactions need no atomic updates of their own: see {@link io.uniserve.api.extra.RevocableActor}.
 *
 * <pre>{@code
 * public Prepared prepare(KvActor actor, UpdateContext context, List<Document> rows) {
 *     Map<String, Document> changes = checked(actor, rows); // throws if it cannot be applied
 *     return new Prepared() {
 *         public void commit() {
 *             actor.putAll(changes);
 *         }
 *
 *         public void abort() {}
 *     };
 * }
 * }</pre>
 *
 * @param <A> the port's actor class
 * @param <R> the class of rows
 */
public non-sealed interface AtomicUpdate<A extends Actor, R extends Row> extends UpdateFunction<A, R> {
    /** Rejects rows that the engine could not apply, before they enter the log; see {@link EventualUpdate#validate}. */
    void validate(A actor, List<R> rows);

    /**
     * Does everything that may fail, and changes nothing that operators see. If one version contains rows of several clients, the host
     * prepares each client's rows by a separate call and commits them in the same order. So do not reject rows because of another part of
     * the same version.
     *
     * @param context the log index of the prepare entry
     */
    Prepared prepare(A actor, UpdateContext context, List<R> rows);

    /**
     * Returns the function as a participant of atomic updates: itself, or an eventual one adapted for a {@link RevocableActor}; empty if
     * neither applies.
     */
    static <A extends Actor, R extends Row> Optional<AtomicUpdate<A, R>> of(UpdateFunction<A, R> function, A actor) {
        if (function instanceof AtomicUpdate<A, R> atomic) {
            return Optional.of(atomic);
        }
        return function instanceof EventualUpdate<A, R> eventual && actor instanceof RevocableActor<?>
                ? Optional.of(new TransactionalUpdate<>(eventual))
                : Optional.empty();
    }
}
