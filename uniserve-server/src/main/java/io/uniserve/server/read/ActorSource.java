package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import java.util.Optional;

/** Where read workers find actors. Safe for use by several threads. */
@FunctionalInterface
public interface ActorSource {
    /** Pins the actor; empty where this server does not have it ready. */
    Optional<PinnedActor> pin(ReplicaKey key);
}
