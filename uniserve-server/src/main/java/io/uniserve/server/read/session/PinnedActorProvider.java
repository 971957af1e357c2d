package io.uniserve.server.read.session;

import io.uniserve.model.ReplicaKey;
import java.util.Optional;

/** Source of actors for read workers. Thread-safe. */
@FunctionalInterface
public interface PinnedActorProvider {
    /** Pins the actor; empty if it is not open on this server. */
    Optional<PinnedActor> pin(ReplicaKey key);
}
