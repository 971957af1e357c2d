package io.uniserve.balance.timeorder;

import java.util.List;

/** Chooses the server of a new time-ordered actor. A pure function of what it is given. */
@FunctionalInterface
public interface ServerSelector {
    /**
     * An actor with its place in time.
     *
     * @param table which table it belongs to
     * @param time when it begins
     * @param future load that is predicted for the rest of its life
     */
    record Chunk(int table, double time, double future) {}

    /** Picks one of the servers, each with the actors it has; there is at least one. */
    int choose(Chunk actor, List<List<Chunk>> servers);

    /** EASY: the server of least predicted load. */
    static ServerSelector easy() {
        return (actor, servers) -> LeastCostSelector.of(
                servers, held -> held.stream().mapToDouble(Chunk::future).sum());
    }

    /** As Druid's cost balancer: the server whose chunks are farthest in time, nearness falling by half in a day's life. */
    static ServerSelector spread(double halfLife) {
        double rate = Math.log(2) / halfLife;
        return (actor, servers) -> LeastCostSelector.of(
                servers,
                held -> held.stream()
                        .mapToDouble(other -> (other.table() == actor.table() ? 2 : 1)
                                * Math.exp(-rate * Math.abs(other.time() - actor.time())))
                        .sum());
    }

    /** As Pinot: the server with the fewest actors. */
    static ServerSelector balanceNum() {
        return (actor, servers) -> LeastCostSelector.of(servers, List::size);
    }
}
