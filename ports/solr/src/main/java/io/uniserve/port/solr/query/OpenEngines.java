package io.uniserve.port.solr.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Predicate;

/**
 * What an engine has open in this process: more than one where several servers run in it. For planners that need a running
 * engine, as any will do. Safe for use by several threads.
 *
 * @param <T> what is open
 */
public final class OpenEngines<T> {
    private final Set<T> open = new CopyOnWriteArraySet<>();
    private final Predicate<T> closed;

    /** {@code closed} tells which are not open any more. */
    public OpenEngines(Predicate<T> closed) {
        this.closed = closed;
    }

    /** Adds one and returns it. */
    public T add(T opened) {
        open.add(opened);
        return opened;
    }

    /** One that is open; UNAVAILABLE where none is. */
    public T any() {
        open.removeIf(closed);
        for (T one : open) {
            return one;
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "the engine is not open in this process; ask a server");
    }
}
