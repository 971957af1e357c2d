package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.operator.Operator;
import java.util.Optional;

/** An actor that is not destroyed before it is let go of. */
public interface PinnedActor extends AutoCloseable {
    Actor actor();

    /** The operator of the actor's engine with this {@code name@version}. */
    Optional<Operator<?, ?>> operator(String id);

    /** The loader of the actor's port, the context class loader of every call into it. */
    ClassLoader classLoader();

    /** Lets go of the actor. */
    @Override
    void close();
}
