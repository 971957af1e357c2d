package io.uniserve.placement;

import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Optional;

/** Policy that chooses servers for replicas. Implementations are pure functions: the same arguments give the same result. */
public interface PlacementPolicy {
    /**
     * Places the actors of a new table.
     *
     * @param rf replicas per actor, 1 to the number of servers
     * @param servers servers that may have the table, each with its current replicas
     * @return servers per actor, the primary first, all different
     */
    List<List<ServerId>> place(int actors, int rf, List<ServerView> servers);

    /**
     * Chooses the server for one more replica of an actor.
     *
     * @param candidates servers that may get it; none of them has the actor
     * @param holders servers that have the actor
     * @return empty only if there is no candidate
     */
    Optional<ServerId> replacement(List<ServerView> candidates, List<ServerView> holders);
}
