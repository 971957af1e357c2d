package io.uniserve.api;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.UpdateFunction;
import java.util.List;

/** A running engine. Safe for use by several threads. {@link #close} is idempotent and closes every actor. */
public interface EngineInstance extends AutoCloseable {
    /** How actors of this engine come to be. */
    ActorFactory<?> actors();

    /** The operators that {@link Engine#info} names, each exactly once. */
    List<Operator<?, ?>> operators();

    /** The update functions that {@link Engine#info} names, each exactly once. */
    List<UpdateFunction<?, ?>> updates();

    @Override
    void close();
}
