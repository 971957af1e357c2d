package io.uniserve.api;

import java.nio.file.Path;

/**
 * Makes actors. Safe for use by several threads.
 *
 * @param <A> the port's actor
 */
public interface ActorFactory<A extends Actor> {
    /** A new empty actor. */
    A create(ActorContext context);

    /** An actor from what {@link Actor#writeTo} wrote; the directory is read-only. Fails with CORRUPT where the files are damaged. */
    A restore(ActorContext context, Path directory);
}
