package io.uniserve.api.update;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.codec.Codec;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Update function built from functions; see {@link EventualUpdate#of}. */
record FunctionalUpdate<A extends Actor, R extends Row>(
        String id,
        Class<A> actorType,
        Codec<R> rows,
        BiConsumer<A, List<R>> check,
        BiConsumer<A, List<R>> apply,
        Predicate<R> readsActorPredicate)
        implements EventualUpdate<A, R> {
    @Override
    public void validate(A actor, List<R> rows) {
        check.accept(actor, rows);
    }

    @Override
    public boolean readsActor(R row) {
        return readsActorPredicate.test(row);
    }

    @Override
    public void update(A actor, UpdateContext context, List<R> rows) {
        apply.accept(actor, rows);
    }
}
