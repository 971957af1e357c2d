package io.uniserve.placement.timeorder;

import java.util.List;

/** Selector of the server for a new time-ordered actor. A pure function. */
@FunctionalInterface
public interface ServerSelector {
    /**
     * Actor with its place in time.
     *
     * @param table the number of its table
     * @param time its start
     * @param future predicted load for the rest of its life
     */
    record Chunk(int table, double time, double future) {}

    /** Returns one of the servers, given the actors of each; there is at least one. */
    int choose(Chunk actor, List<List<Chunk>> servers);

    /** Selector of EASY: the server with least predicted load. */
    static ServerSelector easy() {
        return (actor, servers) -> LeastCostSelector.indexOfLeastCost(
                servers, held -> held.stream().mapToDouble(Chunk::future).sum());
    }

    /** Selector as in Druid's cost balancer: the server whose chunks are farthest in time. Nearness falls by half per half-life. */
    static ServerSelector spread(double halfLife) {
        double rate = Math.log(2) / halfLife;
        return (actor, servers) -> LeastCostSelector.indexOfLeastCost(
                servers,
                held -> held.stream()
                        .mapToDouble(other -> (other.table() == actor.table() ? 2 : 1)
                                * Math.exp(-rate * Math.abs(other.time() - actor.time())))
                        .sum());
    }

    /** Selector as in Pinot: the server with the fewest actors. */
    static ServerSelector balanceNum() {
        return (actor, servers) -> LeastCostSelector.indexOfLeastCost(servers, List::size);
    }
}
