package io.uniserve.placement.timeorder;

import java.util.List;

/** Selector of the server for a new time-ordered actor, by the cost of each. A pure function. */
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

    /** Returns the cost of a server with these actors for a new actor. */
    double cost(Chunk actor, List<Chunk> held);

    /** Returns the server of least cost, given the actors of each; the first one of equals. There is at least one. */
    default int choose(Chunk actor, List<List<Chunk>> servers) {
        return LeastCostSelector.indexOfLeastCost(servers, held -> cost(actor, held));
    }

    /** Selector of EASY: the server with least predicted load. */
    static ServerSelector easy() {
        return (actor, held) -> held.stream().mapToDouble(Chunk::future).sum();
    }

    /** Selector as in Druid's cost balancer: the server whose chunks are farthest in time. Nearness falls by half per half-life. */
    static ServerSelector spread(double halfLife) {
        double rate = Math.log(2) / halfLife;
        return (actor, held) -> held.stream()
                .mapToDouble(other -> (other.table() == actor.table() ? 2 : 1)
                        * Math.exp(-rate * Math.abs(other.time() - actor.time())))
                .sum();
    }

    /** Selector as in Pinot: the server with the fewest actors. */
    static ServerSelector balanceNum() {
        return (actor, held) -> held.size();
    }
}
