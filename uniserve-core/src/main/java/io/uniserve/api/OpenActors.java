package io.uniserve.api;

import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * Factory that closes its actors with their engine, for {@link EngineFunctions#instance}: engines seldom know all that was made
 * of them. Safe for use by several threads.
 *
 * @param <A> the port's actor
 */
public final class OpenActors<A extends Actor> implements ActorFactory<A>, AutoCloseable {
    private final ActorFactory<A> factory;
    private final Predicate<A> closed;
    private final Queue<A> open = new ConcurrentLinkedQueue<>();

    /**
     * None yet.
     *
     * @param closed whether an actor is closed already, so that it is kept no longer
     */
    public OpenActors(ActorFactory<A> factory, Predicate<A> closed) {
        this.factory = factory;
        this.closed = closed;
    }

    @Override
    public A create(ActorContext context) {
        return added(factory.create(context));
    }

    @Override
    public A restore(ActorContext context, Path directory) {
        return added(factory.restore(context, directory));
    }

    private A added(A actor) {
        open.removeIf(closed);
        open.add(actor);
        return actor;
    }

    /** Closes all actors that are open; one that fails keeps no other open, and its failure comes out last. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (A actor = open.poll(); actor != null; actor = open.poll()) {
            try {
                actor.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
