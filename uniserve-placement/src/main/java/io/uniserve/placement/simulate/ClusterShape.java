package io.uniserve.placement.simulate;

/**
 * Simulated cluster and its load.
 *
 * @param actors number of actors
 * @param servers number of servers
 * @param cores cores per server
 * @param slots replicas that fit into a server's memory
 * @param intervals number of intervals; after each the policy may move replicas
 * @param queries queries per interval
 * @param utilization part of all cores that the queries need
 * @param seed of all random choices
 */
public record ClusterShape(
        int actors, int servers, int cores, int slots, int intervals, int queries, double utilization, long seed) {}
