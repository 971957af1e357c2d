package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.model.ReplicaKey;
import java.util.Optional;

/** The engine as readers see it. Safe for use by several threads. */
public interface ReadEngine {
    /** Holds the replica's actor so that it is not destroyed; empty where there is none. */
    Optional<Pin> pin(ReplicaKey key);

    /** The retrieve operator of this port, {@code name@version}; empty where the port has none. */
    Optional<RetrieveOperator<?, ?, ?>> operator(String port, String id);

    /** A held actor; must be released once. */
    interface Pin {
        Actor actor();

        /** The port the actor belongs to. */
        String port();

        void release();
    }
}
