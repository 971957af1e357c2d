package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.api.extra.RevocableActor;
import java.util.List;
import java.util.Optional;

/**
 * An update of many actors that all of them make or none. Each actor prepares its part; the parts are committed when all
 * are prepared, in the order of their versions on every actor. A class may be an {@link EventualUpdate} too.
 */
public non-sealed interface AtomicUpdate<A extends Actor, R extends Row> extends UpdateFunction<A, R> {
    /** Refuses rows that the engine could not apply, before they are logged; as {@link EventualUpdate#validate}. */
    void validate(A actor, List<R> rows);

    /**
     * Does whatever may fail, and changes nothing that operators see. Where several clients' rows were merged into one
     * version, each is prepared by a call of its own, and they are committed in the same order: so rows must not be refused
     * for what another part of the same version does.
     *
     * @param context the log index of the prepare
     */
    Prepared prepare(A actor, UpdateContext context, List<R> rows);

    /** The function as a part of atomic updates: itself, or an eventual one of a {@link RevocableActor}; empty for others. */
    static <A extends Actor, R extends Row> Optional<AtomicUpdate<A, R>> of(UpdateFunction<A, R> function, A actor) {
        if (function instanceof AtomicUpdate<A, R> atomic) {
            return Optional.of(atomic);
        }
        return function instanceof EventualUpdate<A, R> eventual && actor instanceof RevocableActor<?>
                ? Optional.of(new TransactionalUpdate<>(eventual))
                : Optional.empty();
    }
}
