package io.uniserve.balance.simulate;

/**
 * A simulated cluster and how it is driven.
 *
 * @param actors number of actors
 * @param servers number of servers
 * @param cores cores of each
 * @param slots replicas a server has memory for
 * @param intervals number of intervals; after each the policy may move replicas
 * @param queries queries of an interval
 * @param utilization part of all cores that the queries need
 * @param seed of everything that is left to chance
 */
public record ClusterShape(
        int actors, int servers, int cores, int slots, int intervals, int queries, double utilization, long seed) {}
