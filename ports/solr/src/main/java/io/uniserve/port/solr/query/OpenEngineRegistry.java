package io.uniserve.port.solr.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Predicate;

/**
 * Registry of the engine instances that are open in this process, several if the process runs several servers. For planners that need any
 * running engine. Safe for use by several threads.
 *
 * @param <T> the instance
 */
public final class OpenEngineRegistry<T> {
    private final Set<T> open = new CopyOnWriteArraySet<>();
    private final Predicate<T> isClosed;

    /**
     * Creates an empty registry.
     *
     * @param closed whether an instance is closed
     */
    public OpenEngineRegistry(Predicate<T> closed) {
        this.isClosed = closed;
    }

    /** Adds an instance and returns it. */
    public T add(T opened) {
        open.add(opened);
        return opened;
    }

    /**
     * Any open instance.
     *
     * @throws UniserveException UNAVAILABLE if there is none
     */
    public T anyOpen() {
        open.removeIf(isClosed);
        for (T one : open) {
            return one;
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "the engine is not open in this process; ask a server");
    }
}
