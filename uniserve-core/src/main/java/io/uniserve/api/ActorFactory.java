package io.uniserve.api;

import java.nio.file.Path;

/**
 * Factory for the actors of an engine.
 *
 * <p>Thread-safety: safe for use by several threads; the host creates different actors concurrently.
 *
 * <pre>{@code
 * final class Actors implements ActorFactory<CounterActor> {
 *     public CounterActor create(ActorContext context) {
 *         return new CounterActor(Map.of());
 *     }
 *
 *     public CounterActor restore(ActorContext context, Path directory) {
 *         return IO.call("restore", () -> new CounterActor(decoded(Files.readAllBytes(directory.resolve("counts")))));
 *     }
 * }
 * }</pre>
 *
 * @param <A> the port's actor class
 */
public interface ActorFactory<A extends Actor> {
    /** Creates an empty actor. */
    A create(ActorContext context);

    /**
     * Creates an actor from a checkpoint.
     *
     * @param directory the files of {@link Actor#writeTo}; read-only
     * @throws io.uniserve.error.UniserveException CORRUPT if the files are damaged
     */
    A restore(ActorContext context, Path directory);
}
