package io.uniserve.sql.engine;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Factory of actors that store rows; it closes all of them with the engine. Thread-safe.
 *
 * @param <A> the port's actor; its {@code close} must be idempotent
 */
public final class RowActorFactory<A extends RowActor> implements ActorFactory<A> {
    private final Function<ActorContext, A> maker;
    private final BiConsumer<A, Path> filler;
    private final Queue<A> openActors = new ConcurrentLinkedQueue<>();

    /**
     * Starts without actors.
     *
     * @param maker creates an empty actor
     * @param filler loads a checkpoint into an actor; fails with CORRUPT if that is damaged
     */
    public RowActorFactory(Function<ActorContext, A> maker, BiConsumer<A, Path> filler) {
        this.maker = maker;
        this.filler = filler;
    }

    @Override
    public A create(ActorContext context) {
        A actor = maker.apply(context);
        openActors.removeIf(RowActor::isClosed);
        openActors.add(actor);
        return actor;
    }

    @Override
    public A restore(ActorContext context, Path checkpoint) {
        A actor = create(context);
        try {
            filler.accept(actor, checkpoint);
            return actor;
        } catch (UniserveException e) {
            actor.destroy();
            throw e;
        }
    }

    /** Closes all actors. */
    public void close() {
        openActors.forEach(RowActor::close);
    }
}
