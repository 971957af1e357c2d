package io.uniserve.api;

import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * Actor factory that keeps track of its open actors and closes them together with the engine, for {@link EngineFunctions#instance}.
 *
 * <p>Thread-safety: safe for use by several threads if the wrapped factory is.
 *
 * <pre>{@code
 * OpenActors<LuceneActor> actors = new OpenActors<>(new Actors(), LuceneActor::isClosed);
 * return FUNCTIONS.instance(actors, actors::close);
 * }</pre>
 *
 * @param <A> the port's actor class
 */
public final class TrackingActorFactory<A extends Actor> implements ActorFactory<A>, AutoCloseable {
    private final ActorFactory<A> factory;
    private final Predicate<A> isClosed;
    private final Queue<A> openActors = new ConcurrentLinkedQueue<>();

    /**
     * Wraps a factory.
     *
     * @param closed whether an actor is already closed, so that this factory can drop it
     */
    public TrackingActorFactory(ActorFactory<A> factory, Predicate<A> closed) {
        this.factory = factory;
        this.isClosed = closed;
    }

    @Override
    public A create(ActorContext context) {
        return register(factory.create(context));
    }

    @Override
    public A restore(ActorContext context, Path directory) {
        return register(factory.restore(context, directory));
    }

    private A register(A actor) {
        openActors.removeIf(isClosed);
        openActors.add(actor);
        return actor;
    }

    /** Closes all open actors, also after failures. Throws the first failure at the end, with the others as suppressed exceptions. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (A actor = openActors.poll(); actor != null; actor = openActors.poll()) {
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
