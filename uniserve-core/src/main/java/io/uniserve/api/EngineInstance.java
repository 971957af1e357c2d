package io.uniserve.api;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.UpdateFunction;
import java.util.List;

/**
 * Running engine of one server: its actor factory, operators and update functions. {@link EngineFunctions#instance} builds one.
 *
 * <p>Thread-safety: safe for use by several threads. {@link #close} is idempotent and closes every open actor.
 *
 * <pre>{@code
 * OpenActors<H2Actor> actors = new OpenActors<>(new H2Actors(), H2Actor::isClosed);
 * EngineInstance instance = FUNCTIONS.instance(actors, actors::close);
 * }</pre>
 */
public interface EngineInstance extends AutoCloseable {
    /** The factory for actors of this engine. */
    ActorFactory<?> actors();

    /** The operators listed by {@link Engine#info}, each exactly once. */
    List<Operator<?, ?>> operators();

    /** The update functions listed by {@link Engine#info}, each exactly once. */
    List<UpdateFunction<?, ?>> updates();

    /** Closes every open actor and stops the engine. Idempotent. */
    @Override
    void close();
}
