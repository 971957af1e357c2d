package io.uniserve.placement;

import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Optional;

/** Decides where replicas go. Implementations are pure: the same views give the same answer. */
public interface PlacementPolicy {
    /**
     * Places the actors of a new table.
     *
     * @param rf replicas of an actor, 1 to the number of servers
     * @param servers servers that may hold the table, each with what it holds already
     * @return for every actor its servers, the primary first, all different
     */
    List<List<ServerId>> place(int actors, int rf, List<ServerView> servers);

    /**
     * Picks the server for one more replica of an actor.
     *
     * @param candidates servers that may take it, none of which holds the actor
     * @param holders servers that hold the actor already
     * @return empty only where there is no candidate
     */
    Optional<ServerId> replacement(List<ServerView> candidates, List<ServerView> holders);
}
